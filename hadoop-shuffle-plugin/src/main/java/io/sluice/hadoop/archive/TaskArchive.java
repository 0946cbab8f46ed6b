package io.sluice.hadoop.archive;

import io.sluice.spill.segment.PrivateDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.v2.util.MRApps;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.Apps;

/**
 * Makes a node's archive of the classes that ApplicationMasters and tasks load, so that their JVMs
 * map them instead of reading, parsing and verifying them: {@code hadoop jar sluice-hadoop.jar
 * io.sluice.hadoop.archive.TaskArchive FILE}. A JVM with another Java or other jars runs without
 * the archive.
 *
 * <p>An existing file is replaced in one step; JVMs that use it go on with the old one. Failure:
 * {@link IOException} with the output of Java, and the file is as before.
 */
public final class TaskArchive extends Configured implements Tool {
  private static final long DEADLINE_MIN = 10; // of each of two JVMs
  private static final String WORK = ".archive-";
  private static final String CLASSES = "classes.txt";
  private static final int TAIL_LINES = 20;
  private static final String TASK = "org/apache/hadoop/mapred/YarnChild.class";
  private static final Set<PosixFilePermission> FOR_ALL =
      PosixFilePermissions.fromString("r--r--r--");

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new YarnConfiguration(new JobConf()), new TaskArchive(), arguments));
  }

  @Override
  public int run(String[] arguments) throws Exception {
    if (arguments.length != 1 || arguments[0].startsWith("-")) {
      System.err.println(
          "Name the file to write, and nothing else: for example /var/lib/sluice/tasks.jsa");
      return 2;
    }
    Path file = Path.of(arguments[0]).toAbsolutePath();
    List<String> classPath = classPath(getConf(), System.getenv());
    make(file, String.join(":", classPath));
    System.out.printf(
        "%s has %s MiB of classes, for Java %s and the jars of %s%n"
            + "JVMs use it with the settings of mapred-site.archive.xml. Make it anew when Java, Hadoop or Sluice change.%n",
        file,
        Files.size(file) >> 20,
        System.getProperty("java.version"),
        String.join(":", classPath));
    return 0;
  }

  /** The class path of containers, if an archive would do them good and no harm. */
  static List<String> classPath(Configuration conf, Map<String, String> environment)
      throws IOException {
    List<String> classPath = ContainerClassPath.of(conf, environment);
    String settings = environment.get("HADOOP_CONF_DIR");
    if (settings == null) {
      throw new IOException("HADOOP_CONF_DIR is not set; it is that of a NodeManager");
    }
    Set<String> names = ofContainers(Path.of(settings));
    names.add(TASK);
    Set<String> found = ContainerClassPath.filesNamed(names, classPath);
    if (!found.remove(TASK)) {
      throw new IOException(
          "the class path of containers has no %s: %s. Are the variables in it those of a NodeManager, and HADOOP_MAPRED_HOME set in yarn.app.mapreduce.am.env?"
              .formatted(TASK, String.join(":", classPath)));
    }
    if (!found.isEmpty()) {
      throw new IOException(
          "jars of Hadoop have files named as in %s, which containers would no longer read: %s"
              .formatted(settings, found));
    }
    return classPath;
  }

  /** The files of a directory of settings that containers may read. */
  private static Set<String> ofContainers(Path settings) throws IOException {
    Set<String> names = new TreeSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(settings, Files::isRegularFile)) {
      files.forEach(file -> names.add(file.getFileName().toString()));
    }
    names.remove("log4j.properties"); // containers have a name for theirs that is set for each
    return names;
  }

  static void make(Path file, String classPath) throws IOException, InterruptedException {
    Path directory = file.getParent();
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a directory; the archive is a file");
    }
    if (!Files.isDirectory(directory)) {
      throw new IOException(directory + " is no directory; make it first");
    }
    removeWhatTheKilledLeft(directory);
    Path work = Files.createTempDirectory(directory, WORK); // to be renamed from
    Path list = work.resolve("classes");
    Path archive = work.resolve("archive");
    Path log = work.resolve("log");
    for (Path each : List.of(work, list, archive, log)) {
      each.toFile().deleteOnExit(); // if this is told to end; the last one goes first
    }
    try {
      Files.write(list, classes());
      String name = "-XX:SharedArchiveFile=" + archive;
      java(log, "-Xshare:dump", "-XX:SharedClassListFile=" + list, name, "-cp", classPath);
      java(log, "-Xshare:on", name, "-cp", classPath, "-version"); // or says why it cannot be used
      Files.setPosixFilePermissions(archive, FOR_ALL); // whatever the administrator's umask is
      Files.move(archive, file, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      PrivateDirectory.delete(work);
    }
  }

  /**
   * The classes to archive: those that the JDK itself archives, and those of the file {@code
   * classes.txt} beside this class. A class that is missing, or that a job does not need, does no
   * harm.
   *
   * @return as HotSpot reads them: {@code java/lang/Object}, one a line
   */
  private static List<String> classes() throws IOException {
    List<String> names = new ArrayList<>();
    Path ofJdk = Path.of(System.getProperty("java.home"), "lib", "classlist");
    if (Files.exists(ofJdk)) {
      names.addAll(Files.readAllLines(ofJdk));
    }
    names.addAll(classesOfFile());
    return names;
  }

  /** The classes of the file, whose lines have a package and some of its classes. */
  static List<String> classesOfFile() throws IOException {
    List<String> names = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                TaskArchive.class.getResourceAsStream(CLASSES), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        for (int i = 1; i < words.length; i++) {
          names.add(words[0] + words[i]);
        }
      }
    }
    return names;
  }

  /** Removes directories of this user that are too old to be in use. */
  private static void removeWhatTheKilledLeft(Path directory) throws IOException {
    long oldestMs = System.currentTimeMillis() - TimeUnit.MINUTES.toMillis(3 * DEADLINE_MIN);
    try (DirectoryStream<Path> works = Files.newDirectoryStream(directory, WORK + "*")) {
      for (Path work : works) {
        if (Files.isReadable(work) && work.toFile().lastModified() < oldestMs) {
          PrivateDirectory.delete(work);
        }
      }
    }
  }

  private static void java(Path log, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(log.toFile()).redirectInput(new File("/dev/null"));
    builder
        .environment()
        .keySet()
        .removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"));
    Process process = builder.start();
    try {
      if (!process.waitFor(DEADLINE_MIN, TimeUnit.MINUTES)) {
        throw new IOException("Java has not made the archive within " + DEADLINE_MIN + " min");
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      List<String> lines = Files.readAllLines(log);
      throw new IOException(
          "Java has made no archive:\n"
              + String.join(
                  "\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size())));
    }
  }

  /**
   * The class path that ApplicationMasters and tasks of most jobs have in common:
   *
   * <pre>
   * $PWD : $HADOOP_CONF_DIR : jars of the cluster : job.jar/* : ... : $PWD/*
   *                           ~~~~~~~~~~~~~~~~~~~
   * </pre>
   *
   * The class path of an archive must begin with the same jars as that of the JVM that uses it, and
   * must have no directories with files. So the documented options put these jars in front once
   * more.
   */
  static final class ContainerClassPath {
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
          .replaceAll(
              found -> Matcher.quoteReplacement(variables.getOrDefault(found.group(1), "")));
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
}
