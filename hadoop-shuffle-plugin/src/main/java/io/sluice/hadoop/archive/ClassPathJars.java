package io.sluice.hadoop.archive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;

/** The jars of a class path, with wildcards as Java's launcher reads them. */
final class ClassPathJars {
  private ClassPathJars() {}

  /**
   * Those of the names that a file in one of the jars has.
   *
   * @throws IOException that names a jar which cannot be read
   */
  static Set<String> having(List<String> classPath, Set<String> names) throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path jar : jars(classPath)) {
      try (JarFile file = new JarFile(jar.toFile())) {
        names.stream().filter(name -> file.getEntry(name) != null).forEach(found::add);
      } catch (IOException e) {
        throw new IOException("cannot read " + jar, e);
      }
    }
    return found;
  }

  private static List<Path> jars(List<String> classPath) throws IOException {
    List<Path> jars = new ArrayList<>();
    for (String entry : classPath) {
      Path directory = Path.of(entry).getParent();
      if (!entry.endsWith("/*")) {
        jars.add(Path.of(entry));
      } else if (directory != null && Files.isDirectory(directory)) {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.{jar,JAR}")) {
          found.forEach(jars::add);
        }
      }
    }
    jars.removeIf(jar -> !Files.isRegularFile(jar));
    return jars;
  }
}
