package io.sluice.bench.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

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

  /** Those of all jobs whose histories are below a directory, in the order of their ids. */
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

  /** Of the lines of a history in Hadoop's JSON format. */
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
