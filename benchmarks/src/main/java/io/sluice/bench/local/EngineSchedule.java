package io.sluice.bench.local;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * How long the tasks of a job would take on some threads: a model, not a measurement. Tasks begin
 * in their order when the engine has a slot for them. A map that has read its input keeps its map
 * slot until there is a sort slot. Reduces begin when all maps have ended. All that run share the
 * cores equally; and of all work a share is done under one lock, which is one thread's at a time.
 *
 * <p>Not thread-safe.
 *
 * @param cores that there are
 * @param slots of each kind: map, sort, reduce
 * @param lockShare of a task's time under the lock that is contended most, 0 for none
 */
record EngineSchedule(int cores, int slots, double lockShare) {
  private static final double DONE_MS = 1e-9;

  /** A task in one of its phases. */
  private static final class Running {
    private double leftMs;
    private double sortMs; // what follows, or 0

    Running(double leftMs, double sortMs) {
      this.leftMs = leftMs;
      this.sortMs = sortMs;
    }
  }

  /** From the begin of the first task to the end of the last, in ms. */
  double makespanMs(JobWork job) {
    return mapsMs(job.maps()) + reducesMs(job.reduceMs());
  }

  private double mapsMs(List<JobWork.MapWork> maps) {
    Deque<JobWork.MapWork> waiting = new ArrayDeque<>(maps);
    List<Running> reading = new ArrayList<>();
    Deque<Running> toSort = new ArrayDeque<>(); // each in a map slot
    List<Running> sorting = new ArrayList<>();
    double nowMs = 0;
    while (true) {
      while (sorting.size() < slots && !toSort.isEmpty()) {
        sorting.add(toSort.poll());
      }
      while (reading.size() + toSort.size() < slots && !waiting.isEmpty()) {
        JobWork.MapWork map = waiting.poll();
        reading.add(new Running(map.readMs(), map.sortMs()));
      }
      List<Running> all = new ArrayList<>(reading);
      all.addAll(sorting);
      if (all.isEmpty()) {
        return nowMs;
      }
      nowMs += step(all);
      sorting.removeIf(each -> each.leftMs <= DONE_MS);
      for (Running each : List.copyOf(reading)) {
        if (each.leftMs <= DONE_MS) {
          reading.remove(each);
          toSort.add(new Running(each.sortMs, 0));
        }
      }
    }
  }

  private double reducesMs(List<Double> reduceMs) {
    Deque<Double> waiting = new ArrayDeque<>(reduceMs);
    List<Running> running = new ArrayList<>();
    double nowMs = 0;
    while (true) {
      while (running.size() < slots && !waiting.isEmpty()) {
        running.add(new Running(waiting.poll(), 0));
      }
      if (running.isEmpty()) {
        return nowMs;
      }
      nowMs += step(running);
      running.removeIf(each -> each.leftMs <= DONE_MS);
    }
  }

  /** Runs all until the first has done its phase, and says how long that takes. */
  private double step(List<Running> running) {
    double rate = Math.min(1, (double) cores / running.size());
    if (lockShare > 0) {
      rate = Math.min(rate, 1 / (lockShare * running.size()));
    }
    double doneMs = running.stream().mapToDouble(each -> each.leftMs).min().orElseThrow();
    running.forEach(each -> each.leftMs -= doneMs);
    return doneMs / rate;
  }

  /**
   * The work of a job's tasks, without the time that they waited for each other.
   *
   * @param maps each
   * @param reduceMs each reduce: merge, the user's code, output
   */
  record JobWork(List<MapWork> maps, List<Double> reduceMs) {

    /**
     * The work of a map.
     *
     * @param readMs to read its input and collect its records
     * @param sortMs to sort and write them, in a sort slot
     */
    record MapWork(double readMs, double sortMs) {
      double ms() {
        return readMs + sortMs;
      }
    }

    /**
     * Of a run with one slot of each kind. There a map that has read its input sorts when the one
     * before has ended, and a reduce that began during the maps has waited for the last of them.
     */
    static JobWork ofOneThread(JobHistoryTimes times) {
      List<MapWork> maps = new ArrayList<>();
      long mapsEndMs = 0;
      for (JobHistoryTimes.Attempt map : times.maps()) {
        long sortStartMs = Math.max(map.inputMs(), mapsEndMs);
        mapsEndMs = map.finishMs();
        maps.add(
            new MapWork(
                Math.max(0, map.inputMs() - map.startMs()), Math.max(0, mapsEndMs - sortStartMs)));
      }
      List<Double> reduceMs = new ArrayList<>();
      for (JobHistoryTimes.Attempt reduce : times.reduces()) {
        boolean waited = reduce.startMs() < mapsEndMs;
        reduceMs.add((double) (reduce.finishMs() - (waited ? reduce.inputMs() : reduce.startMs())));
      }
      return new JobWork(maps, reduceMs);
    }

    double ms() {
      return maps.stream().mapToDouble(MapWork::ms).sum()
          + reduceMs.stream().mapToDouble(ms -> ms).sum();
    }
  }
}
