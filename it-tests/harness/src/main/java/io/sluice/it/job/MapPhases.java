package io.sluice.it.job;

import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * Where a map task spent its time. Stock's are read from the lines that the task itself logs:
 *
 * <pre>
 *   Processing split            collect begins
 *     Spilling map output         a spill begins (beside collect, on its own thread)
 *     Finished spill 0            it ends
 *   Starting flush of map output collect ends
 *     Spilling map output         the last spill begins
 *     Finished spill n            it ends, the merge begins
 *   Task:attempt_... is done.     the merge has ended
 * </pre>
 *
 * <p>Sluice's collector logs no flush; it counts how long its spills and merges kept the map thread
 * from collecting, so its tasks' collect is what is left of the time from split to done.
 *
 * @param collectMs reading input, map() and collecting; a background spill overlaps with it
 * @param spillMs sorting and writing spills, in the background or not
 * @param mergeMs merging the spills
 */
public record MapPhases(long collectMs, long spillMs, long mergeMs) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss,SSS");
  private static final int TIME_LENGTH = "2000-01-01 00:00:00,000".length();

  public static final MapPhases NONE = new MapPhases(0, 0, 0);

  public long spillAndMergeMs() {
    return spillMs + mergeMs;
  }

  public MapPhases plus(MapPhases other) {
    return new MapPhases(
        collectMs + other.collectMs, spillMs + other.spillMs, mergeMs + other.mergeMs);
  }

  /** Takes what Sluice counted as spill and merge out of the collect time of its map tasks. */
  MapPhases plusSluice(long sluiceSpillMs, long sluiceMergeMs) {
    return new MapPhases(
        collectMs - sluiceSpillMs - sluiceMergeMs,
        spillMs + sluiceSpillMs,
        mergeMs + sluiceMergeMs);
  }

  /** Reads the phases of a map task from its syslog. */
  public static MapPhases ofSyslog(List<String> lines) {
    LocalDateTime split = null;
    LocalDateTime flush = null;
    LocalDateTime spillStart = null;
    LocalDateTime lastSpillEnd = null;
    LocalDateTime done = null;
    long spillMs = 0;
    for (String line : lines) {
      if (line.contains("Processing split: ")) {
        split = time(line);
      } else if (line.contains("Spilling map output")) {
        spillStart = time(line);
      } else if (line.contains("Finished spill ") && spillStart != null) {
        lastSpillEnd = time(line);
        spillMs += millis(spillStart, lastSpillEnd);
      } else if (line.contains("Starting flush of map output")) {
        flush = time(line);
      } else if (line.contains(" is done. And is in the process of committing")) {
        done = time(line);
      }
    }
    return new MapPhases(
        millis(split, flush == null ? done : flush), spillMs, millis(lastSpillEnd, done));
  }

  private static LocalDateTime time(String line) {
    return LocalDateTime.parse(line.substring(0, TIME_LENGTH), TIME);
  }

  private static long millis(LocalDateTime from, LocalDateTime to) {
    return from == null || to == null ? 0 : Duration.between(from, to).toMillis();
  }
}
