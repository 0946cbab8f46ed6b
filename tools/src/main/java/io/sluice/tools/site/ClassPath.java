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
 * Sluice's jars on a class path as configuration files write it: entries between commas or colons,
 * with {@code *} for all jars of a directory and variables of the environment in three forms.
 *
 * @param jars those with the class that was looked for
 * @param absent entries that are named as Sluice's jars are, and do not exist on this host
 * @param remote those of another file system, into which nobody looks
 */
record ClassPath(List<Jar> jars, List<Path> absent, List<String> remote) {
  /**
   * A jar of Sluice's.
   *
   * @param path where it is
   * @param entry of the class path that it was found by, as it is written there
   * @param release what its manifest says; empty if that says nothing
   */
  record Jar(Path path, String entry, Optional<String> release) {
    /** Whether the class path says which release it is. */
    boolean isNamedByRelease() {
      return release.map(entry::contains).orElse(entry.matches(".*sluice[^/]*\\d[^/]*"));
    }

    /** Path and release, for people. */
    String described() {
      return path + release.map(" of release "::concat).orElse(", which does not say its release");
    }
  }

  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{?(\\w+)\\}?|\\{\\{(\\w+)\\}\\}|%(\\w+)%");
  private static final Pattern LOCAL = Pattern.compile("^(?:file|local):(?://(?=/))?");
  private static final String OURS = "sluice[^/]*\\.jar";
  private static final String ALL_JARS = "*";

  /**
   * Looks for the jars that have a class.
   *
   * @param value of the property
   * @param className the class, by its name in Java
   * @param environment gives a variable's value, or null
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
        return List.of(); // a class path skips what it may not read, too
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
      absent.add(path); // no jar, or none that this user may read
    }
  }
}
