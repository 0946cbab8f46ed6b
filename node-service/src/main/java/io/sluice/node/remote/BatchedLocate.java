package io.sluice.node.remote;

import io.sluice.node.wire.RemoteError;
import io.sluice.spill.format.LocatedRun;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Where partitions of outputs lie, asked in several requests if they are many. How much an answer
 * takes is known when it has come: after one that is too long it asks for half as much at a time,
 * and after a short one for twice as much.
 *
 * <p>An output is described for all of the partitions, unreadable now, or absent: one that any
 * answer leaves out, damaged in part or gone meanwhile, is not there.
 *
 * <p>Thread contract: one thread, for one question. Failure: that of a request, unless it says that
 * an answer is too long, or that an output cannot be read now.
 */
final class BatchedLocate {
  /** Where so many outputs cannot be read, others are not asked for one by one. */
  private static final int MOST_UNREADABLE = 3;

  private final Service service;
  private final OutputLocations whole = new OutputLocations(new HashMap<>(), new HashMap<>());
  private final Set<String> absent = new HashSet<>();
  private final Deque<Part> left = new ArrayDeque<>(); // in order, so that runs are
  private int mostAtOnce = RemoteProtocol.OUTPUTS_PER_REQUEST; // outputs times partitions

  /** Answers one request. */
  interface Service {
    OutputLocations describe(PartitionRange partitions, List<String> outputIds) throws IOException;
  }

  /** The outputs of one request. */
  private record Part(PartitionRange partitions, List<String> outputIds) {
    long size() {
      return (long) partitions.count() * outputIds.size();
    }

    Part ofOutputs(int first, int end) {
      return new Part(partitions, outputIds.subList(first, end));
    }

    Part ofPartitions(int first, int end) {
      return new Part(new PartitionRange(first, end), outputIds);
    }
  }

  BatchedLocate(Service service) {
    this.service = service;
  }

  /** The answer to all of it. */
  OutputLocations ask(PartitionRange partitions, List<String> outputIds) throws IOException {
    left.push(new Part(partitions, outputIds));
    while (!left.isEmpty()) {
      Part part = left.pop();
      if (part.size() > mostAtOnce) {
        divide(part);
      } else if (part.size() > 0) {
        ask(part);
      }
    }
    whole.unreadable().keySet().removeAll(absent);
    absent.forEach(this::removeRuns);
    whole.unreadable().keySet().forEach(this::removeRuns);
    return whole;
  }

  private void removeRuns(String id) {
    List<LocatedRun> incomplete = whole.runs().remove(id);
    if (incomplete != null) {
      incomplete.forEach(whole.inlined()::remove);
    }
  }

  /** As much as may be asked for at once, and the rest. */
  private void divide(Part part) {
    int outputs = part.outputIds().size();
    if (outputs > 1) {
      int some = Math.max(1, mostAtOnce / part.partitions().count());
      left.push(part.ofOutputs(some, outputs));
      left.push(part.ofOutputs(0, some));
    } else {
      int first = part.partitions().first();
      left.push(part.ofPartitions(first + mostAtOnce, part.partitions().end()));
      left.push(part.ofPartitions(first, first + mostAtOnce));
    }
  }

  private void ask(Part part) throws IOException {
    OutputLocations answer;
    try {
      answer = service.describe(part.partitions(), part.outputIds());
    } catch (RemoteError e) {
      refused(part, e);
      return;
    }
    if (answer.gatheredBytes() <= OutputLocations.MAX_ANSWER_BYTES / 2) {
      mostAtOnce = Math.min(RemoteProtocol.OUTPUTS_PER_REQUEST, 2 * mostAtOnce);
    }
    whole.add(answer);
    part.outputIds().stream().filter(id -> !answer.runs().containsKey(id)).forEach(absent::add);
  }

  private void refused(Part part, RemoteError e) throws RemoteError {
    int outputs = part.outputIds().size();
    if (e.code() == RemoteError.Code.TOO_MUCH && part.size() > 1) {
      mostAtOnce = (int) (part.size() / 2);
      left.push(part);
    } else if (e.code() != RemoteError.Code.NOT_NOW) {
      throw e;
    } else if (outputs == 1 || whole.unreadable().size() >= MOST_UNREADABLE) {
      part.outputIds().forEach(id -> whole.unreadable().put(id, e.getMessage()));
    } else { // which of them it is
      left.push(part.ofOutputs(outputs / 2, outputs));
      left.push(part.ofOutputs(0, outputs / 2));
    }
  }
}
