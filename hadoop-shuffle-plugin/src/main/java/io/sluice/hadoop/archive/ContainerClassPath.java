package io.sluice.hadoop.archive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.Apps;

/**
 * The class path that ApplicationMasters and tasks of most jobs have in common:
 *
 * <pre>
 * $PWD : $HADOOP_CONF_DIR : jars of the cluster : job.jar/* : ... : $PWD/*
 *                           ~~~~~~~~~~~~~~~~~~~
 * </pre>
 *
 * The class path of an archive must begin with the same jars as that of the JVM that uses it, and
 * must have no directories with files. So the documented options put these jars in front once more.
 */
final class ContainerClassPath {
  private static final List<String> HEAD = List.of("$PWD", "$HADOOP_CONF_DIR");
  private static final String OF_THE_JOB = "job.jar/";
  private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

  private ContainerClassPath() {}

  /**
   * Makes the class path from the settings as stock does, with the variables of a container.
   *
   * @param environment of a NodeManager
   * @throws IOException if containers' class paths do not begin as shown above
   */
  static List<String> of(Configuration conf, Map<String, String> environment) throws IOException {
    Map<String, String> made = new HashMap<>();
    MRApps.setClasspath(made, conf);
    List<String> entries = Arrays.asList(made.getOrDefault("CLASSPATH", "").split(":"));
    if (entries.size() < HEAD.size() || !entries.subList(0, HEAD.size()).equals(HEAD)) {
      throw new IOException(
          "containers' class paths begin with %s and not with %s, as with the default of yarn.application.classpath, so no archive fits them"
              .formatted(
                  String.join(":", entries.subList(0, Math.min(entries.size(), HEAD.size()))),
                  String.join(":", HEAD)));
    }
    Map<String, String> variables = variables(conf, environment);
    List<String> jars = new ArrayList<>();
    for (String entry : entries.subList(HEAD.size(), entries.size())) {
      if (entry.startsWith(OF_THE_JOB)) {
        break;
      }
      jars.add(resolve(entry, variables));
    }
    return jars;
  }

  /** The variables that jobs set for their masters, and those that a NodeManager passes on. */
  private static Map<String, String> variables(
      Configuration conf, Map<String, String> environment) {
    Map<String, String> variables = new HashMap<>();
    Apps.setEnvFromInputProperty(variables, MRJobConfig.MR_AM_ENV, "", conf, ":");
    String[] passed =
        conf.getTrimmedStrings(
            YarnConfiguration.NM_ENV_WHITELIST,
            YarnConfiguration.DEFAULT_NM_ENV_WHITELIST.split(","));
    for (String name : passed) {
      if (environment.containsKey(name)) {
        variables.putIfAbsent(name, environment.get(name));
      }
    }
    return variables;
  }

  private static String resolve(String entry, Map<String, String> variables) {
    return VARIABLE
        .matcher(entry)
        .replaceAll(found -> Matcher.quoteReplacement(variables.getOrDefault(found.group(1), "")));
  }

  /**
   * Finds which of the names a file in one of the jars has.
   *
   * @throws IOException that names a jar which cannot be read
   */
  static Set<String> filesNamed(Set<String> names, List<String> classPath) throws IOException {
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

  /** The jars of a class path, with wildcards as Java's launcher reads them. */
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
