package io.sluice.bench.local;

import java.util.ArrayList;
import java.util.List;

/**
 * What the tasks of a job have to do, without what they waited for each other.
 *
 * @param maps each
 * @param reduceMs each reduce: merge, the user's code, output
 */
record JobWork(List<MapWork> maps, List<Double> reduceMs) {

  /**
   * What a map has to do.
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
