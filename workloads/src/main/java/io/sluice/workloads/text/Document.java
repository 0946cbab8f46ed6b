package io.sluice.workloads.text;

import java.util.SortedMap;
import java.util.StringTokenizer;
import java.util.TreeMap;

/**
 * A line of an input: the document's name, a tab, words.
 *
 * @param counts how often it has each word
 */
public record Document(String name, SortedMap<String, Long> counts) {
  /** Of its line. */
  public static Document parse(String line) {
    int tab = line.indexOf('\t');
    if (tab < 0) {
      throw new IllegalArgumentException("no tab behind the name of a document: " + line);
    }
    SortedMap<String, Long> counts = new TreeMap<>();
    StringTokenizer words = new StringTokenizer(line.substring(tab + 1));
    while (words.hasMoreTokens()) {
      counts.merge(words.nextToken(), 1L, Long::sum);
    }
    return new Document(line.substring(0, tab), counts);
  }
}
