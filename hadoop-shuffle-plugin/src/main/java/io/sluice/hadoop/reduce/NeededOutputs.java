package io.sluice.hadoop.reduce;

import io.sluice.mapreduce.reduce.MergeRun;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Which map outputs a reducer still needs, which it has, and which host delivered each.
 *
 * <p>A map output counts as shuffled once it is <i>located</i>; its bytes are read while they are
 * merged. If its attempt is withdrawn before the merge, and the bytes are not all on this node, the
 * output is given up and its successor awaited. Stock would keep its own copy. So hosts remember an
 * attempt that is not needed until it is withdrawn itself.
 *
 * <p>Thread contract: guarded by the schedule's lock. Ownership: owns every output that {@link
 * #add} took, until one of the take methods hands it over. Failure: none of its own.
 */
final class NeededOutputs {
  private final int totalMaps;
  private FetchedOutput[] outputs; // by map; of none once they are handed over
  private FetchHost[] deliveredBy; // as outputs
  private final boolean[] done;
  private final Set<TaskAttemptID> obsolete = new HashSet<>();
  private final List<FetchedOutput> withdrawn = new ArrayList<>();
  private int remaining;

  /** All outputs of so many maps are needed. */
  NeededOutputs(int totalMaps) {
    this.totalMaps = totalMaps;
    this.outputs = new FetchedOutput[totalMaps];
    this.deliveredBy = new FetchHost[totalMaps];
    this.done = new boolean[totalMaps];
    this.remaining = totalMaps;
  }

  int totalMaps() {
    return totalMaps;
  }

  /** How many maps are not shuffled yet. */
  int remainingMaps() {
    return remaining;
  }

  int doneMaps() {
    return totalMaps - remaining;
  }

  /** Whether the attempt still stands, and no attempt of its map has delivered. */
  boolean wants(TaskAttemptID map) {
    return !isObsolete(map) && !done[map.getTaskID().getId()];
  }

  boolean isObsolete(TaskAttemptID map) {
    return obsolete.contains(map);
  }

  Set<TaskAttemptID> obsolete() {
    return obsolete;
  }

  /** Keeps an output that is wanted. */
  void add(FetchedOutput output, FetchHost host) {
    int index = output.map().getTaskID().getId();
    outputs[index] = output;
    deliveredBy[index] = host;
    complete(index);
  }

  /** The map has no output and gets none; returns whether that is news. */
  boolean addFailedMap(int index) {
    if (done[index]) {
      return false;
    }
    complete(index);
    return true;
  }

  private void complete(int index) {
    done[index] = true;
    remaining--;
  }

  /** The attempt stands no more; returns whether its output was given up, so that it is needed. */
  boolean withdraw(TaskAttemptID attempt) {
    obsolete.add(attempt);
    return giveUp(attempt);
  }

  /** Gives an output up unless all of it is on this node; returns whether it was given up. */
  boolean giveUp(TaskAttemptID attempt) {
    int index = attempt.getTaskID().getId();
    FetchedOutput output = outputs[index];
    if (output == null || !output.map().equals(attempt) || output.isResident()) {
      return false;
    }
    withdrawn.add(output);
    outputs[index] = null;
    deliveredBy[index] = null;
    done[index] = false;
    remaining++;
    return true;
  }

  /** The outputs that this host has delivered and whose bytes are not all on this node. */
  List<TaskAttemptID> remoteOf(FetchHost host) {
    return IntStream.range(0, deliveredBy.length)
        .filter(index -> deliveredBy[index] == host && !outputs[index].isResident())
        .mapToObj(index -> outputs[index].map())
        .toList();
  }

  /** The outputs that it has; failed maps have none. */
  Stream<FetchedOutput> held() {
    return Arrays.stream(outputs).filter(Objects::nonNull);
  }

  /** Hands over the outputs that were given up. */
  List<FetchedOutput> takeWithdrawn() {
    List<FetchedOutput> taken = List.copyOf(withdrawn);
    withdrawn.clear();
    return taken;
  }

  /** Hands over the runs of all maps, in the order of the maps. */
  List<MergeRun> takeRuns() {
    List<MergeRun> runs = new ArrayList<>(totalMaps);
    for (int index = 0; index < outputs.length; index++) {
      if (outputs[index] != null) {
        runs.addAll(outputs[index].runs());
        outputs[index] = null; // one by one: there is no room for all outputs beside all runs
      }
    }
    clear();
    return List.copyOf(runs);
  }

  /** Hands over whatever it has, given up or not, to be closed. */
  List<FetchedOutput> takeAll() {
    List<FetchedOutput> taken = new ArrayList<>(takeWithdrawn());
    held().forEach(taken::add);
    clear();
    return taken;
  }

  private void clear() {
    outputs = new FetchedOutput[0];
    deliveredBy = new FetchHost[0];
  }
}
