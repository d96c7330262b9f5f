package sparkicebergsql;

import java.io.IOException;
import java.net.URL;
import java.util.Enumeration;

/**
 * Class loaders that Hive cannot close.
 *
 * Spark's Thrift server gives Hive the class loader of its jars with each statement that a client waits for, and when the
 * client leaves, Hive closes that loader and its parents. Spark keeps the first from it, not its parent, which has the jars
 * of `spark.jars`: after that nobody in the JVM can load another class of Iceberg. The loaders here have all classes and no
 * parent to close.
 */
public final class KeptJars {
  /** A class loader with the classes and resources of another one. */
  public ClassLoader over(ClassLoader jars) { return new Unclosed(jars); }

  private static final class Unclosed extends ClassLoader {
    private final ClassLoader jars;

    Unclosed(ClassLoader jars) {
      super((ClassLoader) null);
      this.jars = jars;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      return jars.loadClass(name);
    }

    @Override
    protected URL findResource(String name) {
      return jars.getResource(name);
    }

    @Override
    protected Enumeration<URL> findResources(String name) throws IOException {
      return jars.getResources(name);
    }
  }
}
