package io.sluice.tools.site;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds Sluice's jars on a class path of a configuration file. Commas or colons separate its
 * entries, {@code *} stands for all jars of a directory, and variables of the environment have one
 * of three forms. Thread contract: immutable once made.
 *
 * @param jars the jars that have the wanted class
 * @param absent entries that have the name of a jar of Sluice, but are no readable jar on this host
 * @param remote such entries on another file system, which is not read
 */
record ClassPath(List<Jar> jars, List<Path> absent, List<String> remote) {
  /**
   * A jar of Sluice.
   *
   * @param path its location
   * @param entry the entry of the class path that led to it, as written
   * @param release the release in its manifest; empty if there is none
   */
  record Jar(Path path, String entry, Optional<String> release) {
    /** Whether the entry of the class path names the release. */
    boolean isNamedByRelease() {
      return release.map(entry::contains).orElse(entry.matches(".*sluice[^/]*\\d[^/]*"));
    }

    /** Its path and release, for messages. */
    String described() {
      return path + release.map(" of release "::concat).orElse(", whose manifest names no release");
    }
  }

  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{?(\\w+)\\}?|\\{\\{(\\w+)\\}\\}|%(\\w+)%");
  private static final Pattern LOCAL = Pattern.compile("^(?:file|local):(?://(?=/))?");
  private static final String OURS = "sluice[^/]*\\.jar";
  private static final String ALL_JARS = "*";

  /**
   * Finds the jars that have a class.
   *
   * @param value the value of the property
   * @param className the full name of the class
   * @param environment returns a variable's value, or null
   */
  static ClassPath of(String value, String className, UnaryOperator<String> environment) {
    ClassPath found = new ClassPath(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    String entryName = className.replace('.', '/') + ".class";
    for (String part : value.split("[,\\s]+")) {
      String entry = LOCAL.matcher(part).replaceFirst("");
      if (!entry.contains("://")) {
        for (String each : entry.split(":")) {
          found.add(each, Path.of(expanded(each, environment)), entryName);
        }
      } else if (entry.matches(".*/" + OURS)) {
        found.remote.add(entry);
      }
    }
    return found;
  }

  private static String expanded(String entry, UnaryOperator<String> environment) {
    return VARIABLE
        .matcher(entry)
        .replaceAll(
            match -> {
              String name =
                  match.group(1) != null
                      ? match.group(1)
                      : match.group(2) != null ? match.group(2) : match.group(3);
              String value = environment.apply(name);
              return Matcher.quoteReplacement(value == null ? match.group() : value);
            });
  }

  private static List<Path> jarsOf(Path directory) {
    List<Path> jars = new ArrayList<>();
    if (directory != null && Files.isDirectory(directory)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "*.jar")) {
        stream.forEach(jars::add);
      } catch (IOException | DirectoryIteratorException e) {
        return List.of(); // the JVM skips a directory that it may not read, too
      }
    }
    return jars;
  }

  private void add(String entry, Path path, String entryName) {
    if (path.endsWith(ALL_JARS)) {
      jarsOf(path.getParent()).forEach(jar -> addJar(entry, jar, entryName));
    } else if (Files.isRegularFile(path)) {
      addJar(entry, path, entryName);
    } else if (String.valueOf(path.getFileName()).matches(OURS)) {
      absent.add(path);
    }
  }

  private void addJar(String entry, Path path, String entryName) {
    try (JarFile jar = new JarFile(path.toFile())) {
      if (jar.getEntry(entryName) != null) {
        Manifest manifest = jar.getManifest();
        jars.add(
            new Jar(
                path,
                entry,
                Optional.ofNullable(manifest)
                    .map(it -> it.getMainAttributes().getValue("Implementation-Version"))));
      }
    } catch (IOException e) {
      absent.add(path); // it is no jar, or this user may not read it
    }
  }
}
