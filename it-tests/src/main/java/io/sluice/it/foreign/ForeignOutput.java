package io.sluice.it.foreign;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a run of a program has left: the lines of its files, and its jobs' counters added up.
 *
 * @param files lines by path; those of files below {@code unordered} in order
 * @param counters values by group and name, as clients print them
 */
record ForeignOutput(SortedMap<String, List<String>> files, SortedMap<String, Long> counters) {
  /** What depends on the time, the memory, or the number of spills and the names of directories. */
  private static final Set<String> NOT_COMPARED =
      Set.of(
          "GC time elapsed (ms)",
          "CPU time spent (ms)",
          "timeread",
          "Total committed heap usage (bytes)",
          "Input split bytes",
          "Spilled Records",
          "Map output materialized bytes",
          "Reduce shuffle bytes",
          "Combine input records",
          "Combine output records");

  private static final Pattern GROUP = Pattern.compile("\t([^\t=]+)");
  private static final Pattern COUNTER = Pattern.compile("\t\t([^\t]+)=(\\d+)");
  private static final String FILE_SYSTEMS = "File System Counters";

  /** Groups of jobs that only one of two ways to run them has. */
  private static final Set<String> OF_ONE_WAY = Set.of(FILE_SYSTEMS, "Job Counters", "Sluice");

  /** Reads what is below the directory {@code out}, and what was printed. */
  static ForeignOutput read(Path out, Path log) {
    try {
      return new ForeignOutput(files(out), counters(Files.readAllLines(log, ISO_8859_1)));
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
          List<String> lines = new ArrayList<>(Files.readAllLines(file, ISO_8859_1));
          if (name.startsWith("unordered/")) {
            lines.sort(null);
          }
          all.put(name, lines);
        }
      }
    }
    return all;
  }

  private static SortedMap<String, Long> counters(List<String> log) {
    SortedMap<String, Long> sums = new TreeMap<>();
    String group = "";
    for (String line : log) {
      Matcher counter = COUNTER.matcher(line);
      if (counter.matches()) {
        if (!OF_ONE_WAY.contains(group) && isCompared(counter.group(1))) {
          sums.merge(group + ": " + counter.group(1), Long.valueOf(counter.group(2)), Long::sum);
        }
      } else {
        Matcher begin = GROUP.matcher(line);
        group = begin.matches() ? begin.group(1).strip() : "";
      }
    }
    return sums;
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

  /** Counters that are not equal, each with both values. */
  List<String> differentCounters(ForeignOutput other) {
    List<String> all = new ArrayList<>();
    SortedMap<String, Long> counterNames = new TreeMap<>(counters);
    other.counters.forEach(counterNames::putIfAbsent);
    for (String name : counterNames.keySet()) {
      Long mine = counters.get(name);
      Long others = other.counters.get(name);
      if (mine == null || !mine.equals(others)) {
        all.add("%s = %s, %s".formatted(name, mine, others));
      }
    }
    return all;
  }

  private static String first(List<String> mine, List<String> others) {
    int line = 0;
    while (line < Math.min(mine.size(), others.size()) && mine.get(line).equals(others.get(line))) {
      line++;
    }
    return "line %d is \"%s\", \"%s\"".formatted(line + 1, at(mine, line), at(others, line));
  }

  private static String at(List<String> lines, int line) {
    return line < lines.size() ? lines.get(line) : "";
  }
}
