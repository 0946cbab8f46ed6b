package io.sluice.hadoop.archive;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.v2.util.MRApps;

/**
 * The class path that ApplicationMasters and tasks of all jobs have in common:
 *
 * <pre>
 * $PWD : $HADOOP_CONF_DIR : jars of the cluster : job.jar/* : ... : $PWD/*
 *                           ~~~~~~~~~~~~~~~~~~~
 * </pre>
 *
 * An archive of classes must begin with the same jars as the JVM that uses it, and have no
 * directories with files. So the documented settings put the first two of these at the end.
 */
final class ContainerClassPath {
  private static final List<String> HEAD = List.of("$PWD", "$HADOOP_CONF_DIR");
  private static final String OF_THE_JOB = "job.jar/";
  private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

  private ContainerClassPath() {}

  /**
   * As stock makes it from the settings, with variables as a shell resolves them.
   *
   * @throws IOException if containers' class paths begin with something else than is said above
   */
  static String of(Configuration conf, Map<String, String> variables) throws IOException {
    Map<String, String> environment = new HashMap<>();
    MRApps.setClasspath(environment, conf);
    List<String> entries = Arrays.asList(environment.getOrDefault("CLASSPATH", "").split(":"));
    if (entries.size() < HEAD.size() || !entries.subList(0, HEAD.size()).equals(HEAD)) {
      throw new IOException(
          "containers' class paths begin with %s and not with %s, as with the default of yarn.application.classpath, so no archive fits them"
              .formatted(
                  String.join(":", entries.subList(0, Math.min(entries.size(), HEAD.size()))),
                  String.join(":", HEAD)));
    }
    return entries.stream()
        .skip(HEAD.size())
        .takeWhile(entry -> !entry.startsWith(OF_THE_JOB))
        .map(entry -> resolve(entry, variables))
        .collect(Collectors.joining(":"));
  }

  private static String resolve(String entry, Map<String, String> variables) {
    return VARIABLE
        .matcher(entry)
        .replaceAll(found -> Matcher.quoteReplacement(variables.getOrDefault(found.group(1), "")));
  }
}
