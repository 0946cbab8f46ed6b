package io.sluice.workloads.graph;

import java.util.Arrays;

/**
 * A line of an input: a vertex, a tab, the vertices that it links to with commas between them, or
 * none.
 */
public record Links(long vertex, long[] targets) {
  /** Of its line. */
  public static Links parse(String line) {
    int tab = line.indexOf('\t');
    if (tab < 0) {
      throw new IllegalArgumentException("no tab behind a vertex: " + line);
    }
    String list = line.substring(tab + 1);
    long[] targets =
        list.isEmpty()
            ? new long[0]
            : Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
    return new Links(Long.parseLong(line.substring(0, tab)), targets);
  }
}
