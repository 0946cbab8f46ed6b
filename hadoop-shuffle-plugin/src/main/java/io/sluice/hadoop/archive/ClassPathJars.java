package io.sluice.hadoop.archive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** What is in the jars of a class path, with wildcards as Java's launcher reads them. */
final class ClassPathJars {
  /** Of clients and daemons; containers have a name for theirs that is set for each. */
  private static final String NOT_OF_CONTAINERS = "log4j.properties";

  private final List<Path> jars = new ArrayList<>();

  ClassPathJars(List<String> classPath) throws IOException {
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
  }

  /** Whether one of them has a file of that name. */
  boolean have(String name) throws IOException {
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile())) {
        if (file.getEntry(name) != null) {
          return true;
        }
      }
    }
    return false;
  }

  /** Files of a directory of settings that one of them has, too: containers would read that. */
  Set<String> hidden(Path settings) throws IOException {
    Set<String> names = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(settings, Files::isRegularFile)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    names.remove(NOT_OF_CONTAINERS);
    Set<String> inJars = new TreeSet<>();
    for (Path jar : jars) {
      try (JarFile file = new JarFile(jar.toFile())) {
        file.stream().map(JarEntry::getName).filter(names::contains).forEach(inJars::add);
      }
    }
    return inJars;
  }
}
