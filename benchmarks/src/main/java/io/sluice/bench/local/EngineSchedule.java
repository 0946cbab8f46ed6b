package io.sluice.bench.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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
     * Reads the work from a run with one slot of each kind. There a map that has read its input
     * sorts when the one before has ended, and a reduce that began during the maps has waited for
     * the last of them.
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

  /**
   * When the attempts of a job began and ended, as its history says. Failed ones are an error: what
   * is measured has none.
   *
   * @param maps in the order in which they had read their input, which is that in which they sort
   * @param reduces in any
   */
  record JobHistoryTimes(List<Attempt> maps, List<Attempt> reduces) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int HEAD_LINES = 2; // the format's name and the schema

    /**
     * One attempt, in ms of the wall clock.
     *
     * @param startMs when it began
     * @param inputMs when a map had read its input, and a reduce had all map outputs
     * @param finishMs when it had ended
     */
    record Attempt(long startMs, long inputMs, long finishMs) {}

    /** The times of all jobs whose histories are below a directory, in the order of their ids. */
    static List<JobHistoryTimes> below(Path directory) {
      try (Stream<Path> files = Files.walk(directory)) {
        return files
            .filter(file -> file.getFileName().toString().endsWith(".jhist"))
            .sorted(Comparator.comparing(file -> file.getFileName().toString()))
            .map(JobHistoryTimes::read)
            .toList();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + directory, e);
      }
    }

    private static JobHistoryTimes read(Path file) {
      try {
        return parse(Files.readAllLines(file));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + file, e);
      }
    }

    /** Reads the lines of a history in Hadoop's JSON format. */
    static JobHistoryTimes parse(List<String> lines) throws IOException {
      Map<String, Long> startMs = new HashMap<>();
      List<Attempt> maps = new ArrayList<>();
      List<Attempt> reduces = new ArrayList<>();
      for (String line : lines.subList(HEAD_LINES, lines.size())) {
        if (line.isBlank()) {
          continue;
        }
        JsonNode event = JSON.readTree(line);
        JsonNode of = event.path("event").elements().next();
        String id = of.path("attemptId").asText();
        switch (event.path("type").asText()) {
          case "MAP_ATTEMPT_STARTED", "REDUCE_ATTEMPT_STARTED" ->
              startMs.put(id, of.path("startTime").asLong());
          case "MAP_ATTEMPT_FINISHED" -> maps.add(attempt(startMs.get(id), of, "mapFinishTime"));
          case "REDUCE_ATTEMPT_FINISHED" ->
              reduces.add(attempt(startMs.get(id), of, "shuffleFinishTime"));
          case "MAP_ATTEMPT_FAILED",
              "REDUCE_ATTEMPT_FAILED",
              "MAP_ATTEMPT_KILLED",
              "REDUCE_ATTEMPT_KILLED" ->
              throw new ClusterException(id + " has failed: its times are no measure");
          default -> {} // of the job, and of tasks, whose attempts are all that is needed
        }
      }
      if (maps.isEmpty()) {
        throw new ClusterException("a history without maps");
      }
      maps.sort(Comparator.comparingLong(Attempt::inputMs));
      return new JobHistoryTimes(maps, reduces);
    }

    private static Attempt attempt(long startMs, JsonNode finished, String inputEnd) {
      return new Attempt(
          startMs, finished.path(inputEnd).asLong(), finished.path("finishTime").asLong());
    }

    private Stream<Attempt> all() {
      return Stream.concat(maps.stream(), reduces.stream());
    }

    /** From the begin of the first task to the end of the last. */
    long tasksMs() {
      return all().mapToLong(Attempt::finishMs).max().orElseThrow()
          - all().mapToLong(Attempt::startMs).min().orElseThrow();
    }
  }
}
