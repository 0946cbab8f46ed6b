package io.sluice.local.loader;

import io.sluice.local.loader.ClassFiles.FileUrls;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.security.CodeSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ApplicationClassLoader;
import org.apache.hadoop.util.StringUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * The names of classes that all tasks of the process share: those of Java, Hadoop, Sluice and
 * logging, and those of other libraries in Hadoop's public methods.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class SharedNames {
  private static final Set<String> OF_JAVA =
      ModuleLayer.boot().modules().stream()
          .flatMap(module -> module.getPackages().stream())
          .collect(Collectors.toUnmodifiableSet());

  /** Packages below {@code org.apache.hadoop}, where many programs have packages too. */
  private static final Set<String> OF_HADOOP =
      Set.of(
          "classification",
          "conf",
          "crypto",
          "filecache",
          "fs",
          "ha",
          "hdfs",
          "http",
          "io",
          "ipc",
          "jmx",
          "log",
          "mapred",
          "mapreduce",
          "metrics2",
          "net",
          "oncrpc",
          "portmap",
          "registry",
          "security",
          "service",
          "shaded",
          "thirdparty",
          "tracing",
          "util",
          "yarn");

  private static final String HADOOP = "org.apache.hadoop.";

  private static final List<String> OTHERS =
      List.of(
          "io.sluice.",
          "org.slf4j.",
          "org.apache.log4j.",
          "org.apache.logging.",
          "org.apache.commons.logging.",
          "ch.qos.logback.",
          "org.apache.commons.cli.", // GenericOptionsParser
          "com.google.re2j."); // GlobPattern

  /**
   * Exceptions that are not shared. These classes of Hadoop resolve a program's class names by
   * their own loader, cache classes by name, or keep a task's settings in static fields. {@code
   * ExitUtil} ends the process.
   */
  private static final List<String> OF_SLOT =
      List.of(
          "io.sluice.workloads.",
          "org.apache.hadoop.fs.AvroFSInput",
          "org.apache.hadoop.io.serializer.JavaSerialization",
          "org.apache.hadoop.io.serializer.avro.",
          "org.apache.hadoop.mapred.gridmix.",
          "org.apache.hadoop.mapred.join.",
          "org.apache.hadoop.mapred.lib.aggregate.",
          "org.apache.hadoop.mapred.lib.db.",
          "org.apache.hadoop.mapreduce.lib.aggregate.",
          "org.apache.hadoop.mapreduce.lib.db.",
          "org.apache.hadoop.mapreduce.lib.join.",
          "org.apache.hadoop.util.ExitUtil");

  /** Entries that mark a jar of Hadoop, or a jar that contains Hadoop. */
  private static final String MARK = "META-INF/maven/org.apache.hadoop/";

  private static final Map<String, Boolean> LOCATIONS_OF_HADOOP = new ConcurrentHashMap<>();

  private SharedNames() {}

  /** Whether a class of this name is shared, if the engine's class loader has it. */
  static boolean has(String className) {
    int dot = className.lastIndexOf('.');
    if (dot < 0) {
      return false;
    }
    if (OF_JAVA.contains(className.substring(0, dot))) {
      return true;
    }
    boolean named =
        className.startsWith(HADOOP)
            ? dot < HADOOP.length() || OF_HADOOP.contains(firstOf(className))
            : OTHERS.stream().anyMatch(className::startsWith);
    return named && OF_SLOT.stream().noneMatch(className::startsWith);
  }

  /**
   * Whether a class of the engine's class loader with a shared name is shared. It is not if it
   * belongs to a program on the client's class path that uses a package of Hadoop.
   */
  static boolean isShared(Class<?> ofEngine) {
    String name = ofEngine.getName();
    if (!name.startsWith(HADOOP)
        || name.startsWith(HADOOP + "shaded.")
        || name.startsWith(HADOOP + "thirdparty.")) {
      return true;
    }
    URL location = location(ofEngine);
    return location == null
        || LOCATIONS_OF_HADOOP.computeIfAbsent(
            location.toExternalForm(), text -> isHadoops(location));
  }

  private static URL location(Class<?> of) {
    CodeSource source = of.getProtectionDomain().getCodeSource();
    return source == null ? null : source.getLocation();
  }

  private static boolean isHadoops(URL location) {
    for (Class<?> known :
        List.of(
            Configuration.class,
            UserGroupInformation.class,
            YarnConfiguration.class,
            JobConf.class,
            Job.class)) {
      URL its = location(known);
      if (its != null && its.toExternalForm().equals(location.toExternalForm())) {
        return true;
      }
    }
    try {
      File file = FileUrls.file(location);
      return file != null && isHadoopWithin(file);
    } catch (IOException | IllegalArgumentException e) {
      return false; // for example a directory
    }
  }

  private static boolean isHadoopWithin(File file) throws IOException {
    try (JarFile jar = new JarFile(file)) {
      return jar.stream().anyMatch(entry -> entry.getName().startsWith(MARK));
    }
  }

  /**
   * The names as patterns for Hadoop's {@link ApplicationClassLoader}, as far as patterns can
   * express them.
   */
  public static List<String> patterns() {
    return Stream.of(
            OF_SLOT.stream().map(name -> "-" + name),
            StringUtils.getTrimmedStringCollection(ApplicationClassLoader.SYSTEM_CLASSES_DEFAULT)
                .stream()
                .filter(name -> !name.contains(HADOOP)),
            OF_HADOOP.stream().map(name -> HADOOP + name + "."),
            OTHERS.stream())
        .flatMap(names -> names)
        .toList();
  }

  private static String firstOf(String className) {
    return className.substring(HADOOP.length(), className.indexOf('.', HADOOP.length()));
  }
}
