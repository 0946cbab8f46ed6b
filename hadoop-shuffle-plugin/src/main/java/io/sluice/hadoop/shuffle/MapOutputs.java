package io.sluice.hadoop.shuffle;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.shuffle.FetchSchedule.Batch;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs that a reducer has gathered, by the map attempt they came from.
 *
 * <p>Thread contract: safe from any thread. Ownership: owns the runs until {@link #takeAll} hands
 * them to the merge; what is withdrawn is closed by {@link #closeWithdrawn}, outside the schedule's
 * lock. Failure: none of its own.
 */
final class MapOutputs implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MapOutputs.class);

  private final Reporter reporter;
  private final boolean compressed;
  private final Map<TaskAttemptID, List<FetchedRun>> outputs = new HashMap<>();
  private final List<FetchedRun> withdrawn = new ArrayList<>();
  private final Set<String> hostsWithoutService = new HashSet<>();

  MapOutputs(Reporter reporter, boolean compressed) {
    this.reporter = reporter;
    this.compressed = compressed;
  }

  /** Whether the job's codec stands before every run that a map wrote. */
  boolean compressed() {
    return compressed;
  }

  /** Keeps an output if it is still wanted, else closes it. */
  void keep(FetchSchedule schedule, Batch batch, TaskAttemptID map, List<FetchedRun> runs)
      throws IOException {
    synchronized (this) {
      outputs.put(map, runs);
    }
    if (!schedule.succeeded(batch, map)) {
      synchronized (this) {
        outputs.remove(map);
      }
      for (FetchedRun run : runs) {
        run.close();
      }
    }
  }

  /** See {@link FetchSchedule.Listener#withdraw}. */
  synchronized boolean withdraw(TaskAttemptID map) {
    List<FetchedRun> runs = outputs.get(map);
    if (isResident(runs)) {
      return false;
    }
    outputs.remove(map);
    withdrawn.addAll(runs);
    return true;
  }

  /** Those of these outputs whose bytes are not all on this node. */
  synchronized List<TaskAttemptID> remote(List<TaskAttemptID> maps) {
    return maps.stream().filter(map -> !isResident(outputs.get(map))).toList();
  }

  private static boolean isResident(List<FetchedRun> runs) {
    return runs == null || runs.stream().allMatch(FetchedRun::isResident);
  }

  void closeWithdrawn() throws IOException {
    List<FetchedRun> closing;
    synchronized (this) {
      closing = new ArrayList<>(withdrawn);
      withdrawn.clear();
    }
    for (FetchedRun run : closing) {
      run.close();
    }
  }

  /** Says once for each host that its outputs are asked for at the stock ShuffleHandler. */
  synchronized void serviceMissing(String host, IOException cause) {
    if (hostsWithoutService.add(host)) {
      LOG.info(
          "No Sluice service answers at {} ({}); its map outputs are fetched from the stock"
              + " ShuffleHandler",
          host,
          cause.getMessage());
    }
  }

  void fetchedFromStock(long travelledBytes) {
    SluiceCounter.FALLBACK_FETCH_TO_HTTP.add(reporter, 1);
    SluiceCounter.READ_BYTES_HTTP.add(reporter, travelledBytes);
  }

  /**
   * Hands everything over; the caller owns it from now on.
   *
   * @param shuffled the attempts whose outputs the schedule has counted
   * @throws IllegalStateException if one of them is not here: its records would be lost
   */
  synchronized List<FetchedRun> takeAll(Collection<TaskAttemptID> shuffled) {
    if (!outputs.keySet().containsAll(shuffled)) {
      throw new IllegalStateException(
          "gathered the outputs of "
              + outputs.keySet()
              + ", expected those of "
              + shuffled
              + "; the reduce must run again");
    }
    List<FetchedRun> all = new ArrayList<>();
    for (TaskAttemptID map : shuffled) {
      all.addAll(outputs.remove(map));
    }
    return all;
  }

  /** Closes what was not handed over. */
  @Override
  public void close() throws IOException {
    List<FetchedRun> closing;
    synchronized (this) {
      closing = new ArrayList<>(withdrawn);
      outputs.values().forEach(closing::addAll);
      outputs.clear();
      withdrawn.clear();
    }
    for (FetchedRun run : closing) {
      run.close();
    }
  }
}
