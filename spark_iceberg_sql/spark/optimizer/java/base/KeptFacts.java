package sparkicebergsql;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the rules keep between queries of a table's metadata. All of it has one bound, in bytes, by which what was used
 * longest ago is dropped; the values are held softly, so that the JVM drops them before memory is short.
 *
 * <p>Any entry may be gone at any time: who puts one must not rely on getting it.
 */
public final class KeptFacts {
  /** In bytes: a fiftieth of the heap, and no more than this. */
  private static final long LIMIT = 64L << 20;
  /** In bytes, of an entry besides its key and value. */
  private static final long ENTRY = 200;
  private static final LinkedHashMap<List<Object>, Weighed> ENTRIES = new LinkedHashMap<>(16, 0.75f, true);
  private static long bytes;

  /** What this object's keys begin with. */
  private final String kind;

  /** A value, and its bytes as they were estimated. */
  private static final class Weighed {
    final SoftReference<Object> value;
    final long bytes;

    Weighed(Object value, long bytes) {
      this.value = new SoftReference<Object>(value);
      this.bytes = bytes;
    }
  }

  /** kind: of the entries; no two of these objects have the same. */
  public KeptFacts(String kind) { this.kind = kind; }

  private List<Object> key(Object key) { return new ArrayList<Object>(Arrays.asList(new Object[] {kind, key})); }

  /** Null if there is none. */
  public Object get(Object key) {
    synchronized (ENTRIES) {
      Weighed entry = (Weighed) ENTRIES.get(key(key));
      return entry == null ? null : entry.value.get();
    }
  }

  /** bytes: of the key and the value, roughly. What is larger than an eighth of the bound is not kept. */
  public void put(Object key, Object value, long bytes) {
    long weight = bytes + ENTRY;
    synchronized (ENTRIES) {
      Weighed old = (Weighed) ENTRIES.remove(key(key));
      if (old != null) KeptFacts.bytes -= old.bytes;
      if (weight > limit() / 8) return;
      ENTRIES.put(key(key), new Weighed(value, weight));
      KeptFacts.bytes += weight;
      Iterator<Map.Entry<List<Object>, Weighed>> oldest = ENTRIES.entrySet().iterator();
      while (KeptFacts.bytes > limit()) {
        Map.Entry<List<Object>, Weighed> entry = (Map.Entry<List<Object>, Weighed>) oldest.next();
        KeptFacts.bytes -= ((Weighed) entry.getValue()).bytes;
        oldest.remove();
      }
    }
  }

  /** The bytes that all entries may have together. */
  public static long limit() { return Math.min(LIMIT, Runtime.getRuntime().maxMemory() / 50); }

  /** The bytes that they have, as estimated. */
  public static long bytes() {
    synchronized (ENTRIES) { return bytes; }
  }

  /** Of a text. */
  public static long bytes(String text) { return 64 + 2L * text.length(); }
}
