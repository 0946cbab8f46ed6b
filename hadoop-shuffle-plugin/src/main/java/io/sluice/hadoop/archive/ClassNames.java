package io.sluice.hadoop.archive;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Names of the classes that ApplicationMasters and tasks load, with Sluice's shuffle: those that
 * the JDK itself archives, and those of the file {@code classes.txt} beside this class, whose lines
 * have a package and some of its classes. A class that is not there, or is not needed by a job,
 * does no harm.
 */
final class ClassNames {
  private static final String OURS = "classes.txt";

  private ClassNames() {}

  /** In the form that HotSpot reads: {@code java/lang/Object}, one a line. */
  static List<String> all() throws IOException {
    List<String> names = new ArrayList<>();
    Path ofJdk = Path.of(System.getProperty("java.home"), "lib", "classlist");
    if (Files.exists(ofJdk)) {
      names.addAll(Files.readAllLines(ofJdk));
    }
    names.addAll(ours());
    return names;
  }

  /** Those of the file. */
  static List<String> ours() throws IOException {
    List<String> names = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                ClassNames.class.getResourceAsStream(OURS), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        for (int i = 1; i < words.length; i++) {
          names.add(words[0] + words[i]);
        }
      }
    }
    return names;
  }
}
