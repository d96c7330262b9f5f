package sparkicebergsql;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.List;

/** DST and other time-zone transitions, in microseconds. */
public final class Clocks {
  public static final long HOUR = 3600000000L, DAY = 24 * HOUR;

  private static final int TRANSITIONS = 100;

  private Clocks() {}

  /** The uncertainty of local time near an instant: the size of a transition plus two hours, or 0. */
  public static long uncertainty(ZoneId zone, long micros, long reach) {
    ZoneRules rules = zone.getRules();
    if (rules.isFixedOffset()) return 0;
    if (reach > 400 * DAY) return 26 * HOUR;
    long maximum = 0;
    Instant until = instant(micros + reach + 50 * HOUR);
    ZoneOffsetTransition t = rules.nextTransition(instant(micros - reach - 50 * HOUR));
    while (t != null && !t.getInstant().isAfter(until)) {
      long size = Math.abs(t.getDuration().getSeconds()) * 1000000L + 2 * HOUR;
      if (Math.abs(t.getInstant().getEpochSecond() * 1000000L - micros) <= reach + size)
        maximum = Math.max(maximum, size);
      t = rules.nextTransition(t.getInstant());
    }
    return maximum;
  }

  /** The times in micros of a zone's transitions after one time, until another; null if there are very many. */
  public static List<Long> transitions(ZoneId zone, long start, long end) {
    List<Long> result = new ArrayList<>();
    ZoneRules rules = zone.getRules();
    ZoneOffsetTransition t = rules.isFixedOffset() ? null : rules.nextTransition(instant(start));
    while (t != null && !t.getInstant().isAfter(instant(end))) {
      if (result.size() == TRANSITIONS) return null;
      result.add(Long.valueOf(t.getInstant().getEpochSecond() * 1000000L));
      t = rules.nextTransition(t.getInstant());
    }
    return result;
  }

  public static Instant instant(long micros) {
    return Instant.ofEpochSecond(Math.floorDiv(micros, 1000000L), Math.floorMod(micros, 1000000L) * 1000L);
  }
}
