package io.sluice.it.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sluice.it.job.JobCounters;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The output of a run of a program: the lines of its files, and what its jobs have printed.
 *
 * @param files lines by path; those of files below {@code unordered} in order
 * @param printed of each job, with counters that are not compared too
 */
record ForeignOutput(SortedMap<String, List<String>> files, PrintedJobs printed) {
  /** Counters of time, of memory, or that depend on the number of spills or directories' names. */
  private static final Set<String> NOT_COMPARED =
      Set.of(
          "GC time elapsed (ms)",
          "CPU time spent (ms)",
          "timeread",
          "Bandwidth in Bytes",
          "Total committed heap usage (bytes)",
          "Input split bytes",
          "Spilled Records",
          "Map output materialized bytes",
          "Reduce shuffle bytes",
          "Combine input records",
          "Combine output records");

  private static final SortedMap<String, Long> NO_COUNTERS =
      Collections.unmodifiableSortedMap(new TreeMap<>());

  /** Groups that only one of two ways to run a job has, or that depend on directories' names. */
  private static final Set<String> OF_ONE_WAY =
      Set.of("File System Counters", "Job Counters", "Sluice");

  /** Reads what is below the directory {@code out}, and what was printed. */
  static ForeignOutput read(Path out, Path log) {
    try {
      return new ForeignOutput(files(out), PrintedJobs.read(Files.readAllLines(log, ISO_8859_1)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the output in " + out, e);
    }
  }

  private static SortedMap<String, List<String>> files(Path out) throws IOException {
    SortedMap<String, List<String>> all = new TreeMap<>();
    try (Stream<Path> found = Files.walk(out)) {
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        String name = out.relativize(file).toString();
        if (!file.getFileName().toString().matches("[._].*")) {
          List<String> lines = new ArrayList<>(lines(Files.readString(file, ISO_8859_1)));
          if (name.startsWith("unordered/")) {
            lines.sort(null);
          }
          all.put(name, lines);
        }
      }
    }
    return all;
  }

  /** With their ends, which are bytes of a file like others. */
  private static List<String> lines(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split("(?<=\n)"));
  }

  /** Those of each job's counters that are compared, by group and name. */
  private List<SortedMap<String, Long>> jobs() {
    return printed.counters().stream().map(ForeignOutput::compared).toList();
  }

  private static SortedMap<String, Long> compared(JobCounters job) {
    SortedMap<String, Long> all = new TreeMap<>();
    job.groups()
        .forEach(
            (group, values) -> {
              if (!OF_ONE_WAY.contains(group)) {
                values.forEach(
                    (name, value) -> {
                      if (isCompared(name)) {
                        all.put(group + ": " + name, value);
                      }
                    });
              }
            });
    return all;
  }

  private static boolean isCompared(String name) {
    return !NOT_COMPARED.contains(name)
        && !name.matches("(Peak )?(Map|Reduce) (Virtual|Physical).*|.* memory \\(bytes\\).*");
  }

  long lines() {
    return files.values().stream().mapToLong(List::size).sum();
  }

  /** Files that are not equal, each with the first line that is not. */
  List<String> differentFiles(ForeignOutput other) {
    List<String> all = new ArrayList<>();
    SortedMap<String, List<String>> names = new TreeMap<>(files);
    other.files.forEach(names::putIfAbsent);
    for (String name : names.keySet()) {
      List<String> mine = files.get(name);
      List<String> others = other.files.get(name);
      if (mine == null || others == null) {
        all.add(name + " is only in one");
      } else if (!mine.equals(others)) {
        all.add(
            "%s: %d lines, %d lines; %s"
                .formatted(name, mine.size(), others.size(), first(mine, others)));
      }
    }
    return all;
  }

  /**
   * Counters that are not equal, each with both values. Jobs that ran side by side may have ended
   * in any order: only those that are equal to none of the other run's are compared one by one.
   */
  List<CounterDifference> differentCounters(ForeignOutput other) {
    List<SortedMap<String, Long>> others = new ArrayList<>(other.jobs());
    List<SortedMap<String, Long>> jobs = jobs();
    List<Integer> alone = new ArrayList<>();
    for (int job = 0; job < jobs.size(); job++) {
      if (!others.remove(jobs.get(job))) {
        alone.add(job);
      }
    }
    List<CounterDifference> all = new ArrayList<>();
    for (int i = 0; i < Math.max(alone.size(), others.size()); i++) {
      int job = i < alone.size() ? alone.get(i) : jobs.size() + i - alone.size();
      SortedMap<String, Long> mine = i < alone.size() ? jobs.get(job) : NO_COUNTERS;
      all.addAll(different(job + 1, mine, i < others.size() ? others.get(i) : NO_COUNTERS));
    }
    return all;
  }

  private static List<CounterDifference> different(
      int job, SortedMap<String, Long> mine, SortedMap<String, Long> others) {
    SortedMap<String, Long> names = new TreeMap<>(mine);
    names.putAll(others);
    return names.keySet().stream()
        .filter(name -> !Objects.equals(mine.get(name), others.get(name)))
        .map(
            name ->
                new CounterDifference(
                    job,
                    name,
                    Optional.ofNullable(mine.get(name)),
                    Optional.ofNullable(others.get(name))))
        .toList();
  }

  private static String first(List<String> mine, List<String> others) {
    int line = 0;
    while (line < Math.min(mine.size(), others.size()) && mine.get(line).equals(others.get(line))) {
      line++;
    }
    return "line %d is \"%s\", \"%s\"".formatted(line + 1, at(mine, line), at(others, line));
  }

  private static String at(List<String> lines, int line) {
    return line < lines.size() ? lines.get(line).replace("\r", "\\r").replace("\n", "\\n") : "";
  }

  /**
   * A counter of one job whose values by stock and by Sluice are not equal. Immutable.
   *
   * @param job which of the program's jobs, from 1
   * @param name group and name
   * @param stock stock's value, if it has the counter
   * @param sluice Sluice's value, if it has the counter
   */
  record CounterDifference(int job, String name, Optional<Long> stock, Optional<Long> sluice) {
    @Override
    public String toString() {
      return "job %d: %s = %s, %s".formatted(job, name, text(stock), text(sluice));
    }

    private static String text(Optional<Long> value) {
      return value.map(Object::toString).orElse("none");
    }

    /**
     * Why a counter is greater by Sluice than by stock although every record is there.
     *
     * @param name of the counter
     * @param mostMore the greatest difference that it explains
     * @param why in words, for the page of results
     */
    record Cause(String name, long mostMore, String why) {
      boolean explains(CounterDifference difference) {
        if (!name.equals(difference.name)
            || difference.stock.isEmpty()
            || difference.sluice.isEmpty()) {
          return false;
        }
        long more = difference.sluice.get() - difference.stock.get();
        return more > 0 && more <= mostMore;
      }
    }
  }
}
