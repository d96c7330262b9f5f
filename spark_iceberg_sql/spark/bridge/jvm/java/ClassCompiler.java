package sparkicebergsql;

import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import org.codehaus.commons.compiler.CompileException;
import org.codehaus.commons.compiler.util.reflect.ByteArrayClassLoader;
import org.codehaus.janino.ClassLoaderIClassLoader;
import org.codehaus.janino.Descriptor;
import org.codehaus.janino.IClass;
import org.codehaus.janino.IClassLoader;
import org.codehaus.janino.Parser;
import org.codehaus.janino.Scanner;
import org.codehaus.janino.UnitCompiler;
import org.codehaus.janino.util.ClassFile;

/**
 * Compiles one Java file after another as Janino's SimpleCompiler does, and remembers what it has read of the class path.
 *
 * <p>A SimpleCompiler reads each class of Spark and Iceberg that a file mentions by reflection, anew for each file: four
 * fifths of the time that all files of this package take.
 */
public class ClassCompiler {
  /** By class loader, what it and its parents hold. */
  private final Map<ClassLoader, Symbols> remembered = new HashMap<ClassLoader, Symbols>();

  /** The classes of one file. */
  public static class FileLoader extends ByteArrayClassLoader {
    private final Map<String, byte[]> classFiles;
    FileLoader(Map<String, byte[]> classFiles, ClassLoader parent) {
      super(classFiles, parent);
      this.classFiles = classFiles;
    }
    /** By the full name of a class. */
    public Map<String, byte[]> classFiles() { return classFiles; }
  }

  /**
   * The classes of a class loader. Of the names that Janino tries for a word of a file, a third are no class's, and for
   * each the loader looks through all jars; so these are not asked for.
   */
  static class ClassPath extends ClassLoaderIClassLoader {
    private static final String OURS = "sparkicebergsql.";
    private final boolean hasOurs;
    ClassPath(ClassLoader loader) {
      super(loader);
      hasOurs = loader instanceof ByteArrayClassLoader || loader.getResource("sparkicebergsql/Extension.class") != null;
    }
    @Override
    protected IClass findIClass(String descriptor) throws ClassNotFoundException {
      String name = Descriptor.toClassName(descriptor);
      if (name.indexOf('.') < 0 || (!hasOurs && name.startsWith(OURS))) return null;
      int nested = name.indexOf('$');
      boolean isWithin = nested > 0 && nested < name.length() - 1; // Scala's objects end in $
      if (isWithin && loadIClass(Descriptor.fromClassName(name.substring(0, nested))) == null) return null;
      if (name.startsWith("java.lang.") && !isOfJava(name)) return null;
      return super.findIClass(descriptor);
    }
    private static boolean isOfJava(String name) {
      return Object.class.getResource('/' + name.replace('.', '/') + ".class") != null;
    }
  }

  /** The classes of files that were compiled one below the other, by their sources; the others by reflection. */
  static class Symbols extends IClassLoader {
    final IClassLoader classPath;
    final Map<String, UnitCompiler> files;
    UnitCompiler file;
    Symbols(IClassLoader classPath, Map<String, UnitCompiler> files) {
      super(classPath);
      this.classPath = classPath;
      this.files = files;
      postConstruct();
    }
    @Override
    protected IClass findIClass(String descriptor) {
      String name = Descriptor.toClassName(descriptor);
      UnitCompiler other = (UnitCompiler) files.get(outermost(name));
      IClass symbol = other == null ? null : other.findClass(name);
      if (symbol == null && file != null) symbol = file.findClass(name);
      if (symbol != null) defineIClass(symbol);
      return symbol;
    }
  }

  /**
   * Compiles a file. name: of its class. remembers: whether further files follow, on the same class path, before {@link
   * #forget}. Returns the class loader of its classes.
   */
  public synchronized FileLoader compile(String name, String text, ClassLoader parent, boolean remembers)
    throws CompileException, IOException {
    Symbols above = (Symbols) remembered.get(parent);
    if (above == null) {
      above = new Symbols(new ClassPath(parent), new HashMap<String, UnitCompiler>());
      if (remembers) remembered.put(parent, above);
    }
    Symbols symbols = new Symbols(above.classPath, new HashMap<String, UnitCompiler>(above.files));
    Scanner scanner = new Scanner(name + ".java", new StringReader(text));
    symbols.file = new UnitCompiler(new Parser(scanner).parseAbstractCompilationUnit(), symbols);
    symbols.file.setTargetVersion(8);
    final Map<String, byte[]> classFiles = new HashMap<String, byte[]>();
    symbols.file.compileUnit(false, false, false, new UnitCompiler.ClassFileConsumer() {
      @Override
      public void consume(ClassFile file) {
        classFiles.put(file.getThisClassName(), file.toByteArray());
      }
    });
    for (String compiled : classFiles.keySet()) symbols.files.put(outermost(compiled), symbols.file);
    FileLoader loader = new FileLoader(classFiles, parent);
    if (remembers) remembered.put(loader, symbols);
    return loader;
  }

  /** Forgets what was read, some megabytes; the class path may have changed. */
  public synchronized void forget() { remembered.clear(); }

  static String outermost(String name) {
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }
}
