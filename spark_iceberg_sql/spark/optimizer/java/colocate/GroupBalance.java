package sparkicebergsql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/**
 * Whether tasks that read whole partitions are expected to be faster than a shuffle.
 *
 * <p>A shuffle divides the work evenly, so the partitions must nearly do so, too: none may be much more than a core's share.
 * A join without a shuffle takes less than two thirds of the time, and a group half of it, where both use all cores.
 */
public final class GroupBalance {
  /** The most that the busiest core may have of the work, of an even share. */
  private static final double SHARE = 1.15;
  /** The same where little may be gained: groups of a few values leave few rows to shuffle, and windows sort anyway. */
  private static final double SHARE_OF_GROUPS = 1.05;
  /** Bytes of a partition in one task, which sorts it on its disk if it is large. */
  private static final long LARGEST = 512L << 20;
  /** Bytes of a partition below which its task, or the planning, may cost more than is gained. */
  private static final long SMALL = 1L << 20;

  private GroupBalance() {}

  /**
   * The scans for which it may be so, with any of the others: no plan has to be tried for the rest.
   *
   * @param rejected takes the reasons for the rest, by their scans
   */
  public static List<GroupedScan> candidates(List<GroupedScan> scans, Map<Object, String> rejected) {
    long total = 0;
    for (GroupedScan scan : scans) total += scan.size();
    List<GroupedScan> candidates = new ArrayList<>();
    for (GroupedScan scan : scans) {
      if (!areSmall(scan.bytes.size(), total)) candidates.add(scan);
      else rejected.put(scan.original, small(scan.bytes.size(), total));
    }
    return candidates;
  }

  private static boolean areSmall(int partitions, long total) { return partitions == 0 || total / partitions < SMALL; }

  private static String small(int partitions, long total) {
    return partitions == 0
      ? "no file is read"
      : "the partitions have " + ByteSize.text(total / partitions) + " on average, which a shuffle moves as fast";
  }

  /**
   * Why it is not so for scans whose partitions of the same values are read by the same task; null if it is.
   *
   * @param isOfAllRows whether a shuffle would move all rows of a side of a join
   */
  public static String obstacle(List<GroupedScan> scans, boolean isOfAllRows, SparkContext context) {
    Map<List<Object>, Long> bytes = new HashMap<>();
    boolean isDivided = false;
    for (GroupedScan scan : scans) {
      isDivided |= scan.isDivided;
      for (Map.Entry<List<Object>, Long> group : scan.bytes.entrySet()) {
        Long sum = (Long) bytes.get(group.getKey());
        long size = ((Long) group.getValue()).longValue();
        bytes.put((List<Object>) group.getKey(), Long.valueOf((sum == null ? 0 : sum.longValue()) + size));
      }
    }
    if (!isDivided) return "one task reads all of the table";
    return obstacle(new ArrayList<>(bytes.values()), cores(context), isOfAllRows ? SHARE : SHARE_OF_GROUPS);
  }

  /** sizes: of the partitions. */
  private static String obstacle(List<Long> sizes, int cores, double share) {
    long total = 0;
    for (Long size : sizes) total += size.longValue();
    if (areSmall(sizes.size(), total)) return small(sizes.size(), total);
    Collections.sort(sizes, Collections.reverseOrder());
    long largest = ((Long) sizes.get(0)).longValue();
    if (largest > LARGEST) return "the largest partition has " + ByteSize.text(largest) + ", too much for one task";
    PriorityQueue<Long> loads = new PriorityQueue<>(); // each partition goes to the core that is free first
    for (int i = 0; i < cores; i++) loads.add(Long.valueOf(0));
    long busiest = 0;
    for (Long size : sizes) {
      long load = ((Long) loads.poll()).longValue() + size.longValue();
      busiest = Math.max(busiest, load);
      loads.add(Long.valueOf(load));
    }
    if (busiest <= share * total / cores) return null;
    return String.format(Locale.ROOT,
      "the partitions do not divide the work evenly among %d cores: one core would have %.1f times its share", cores,
      busiest * (double) cores / total);
  }

  /** The cores that a query may have: of the executors there are, or may be. */
  private static int cores(SparkContext context) {
    SparkConf conf = context.conf();
    int cores = Math.max(1, context.defaultParallelism());
    if (!conf.getBoolean("spark.dynamicAllocation.enabled", false)) return cores;
    int executors = conf.getInt("spark.dynamicAllocation.maxExecutors", Integer.MAX_VALUE);
    long bound = (long) executors * conf.getInt("spark.executor.cores", 1);
    return (int) Math.max(cores, Math.min(bound, 10000));
  }
}
