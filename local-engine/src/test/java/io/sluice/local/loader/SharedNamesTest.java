package io.sluice.local.loader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.CompiledClasses;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program and a shared class exchange objects of the classes that the shared one names in public.
 * Were such a class not shared, the program's and the other's would not be the same.
 */
class SharedNamesTest {
  private static final String SERVERS = "servers of Hadoop and their web pages, in no task";
  private static final String STORES = "clients of ZooKeeper, which Hadoop's servers use";

  /** Beginnings of names that Hadoop names although they are not shared, each with its reason. */
  private static final Map<String, String> ALLOWED =
      Map.ofEntries(
          Map.entry("com.fasterxml.jackson.", "JsonSerialization; a mapper of a program's own"),
          Map.entry("com.google.inject.", SERVERS),
          Map.entry("com.nimbusds.", SERVERS),
          Map.entry("io.netty.", SERVERS),
          Map.entry("javax.servlet.", SERVERS),
          Map.entry("javax.ws.rs.", SERVERS),
          Map.entry("net.jodah.failsafe.", "retries of YARN's timeline client"),
          Map.entry("org.apache.avro.", "events of a job's history, which the engine writes"),
          Map.entry("org.apache.commons.collections4.", "HDFS's client, within itself"),
          Map.entry("org.apache.commons.configuration2.", "sinks of metrics, which Hadoop makes"),
          Map.entry("org.apache.commons.lang3.", "helpers of Hadoop's own code"),
          Map.entry("org.apache.commons.math3.", "a logging helper of HDFS, and YARN"),
          Map.entry("org.apache.commons.net.", "the FTP file system, within itself"),
          Map.entry("org.apache.curator.", STORES),
          Map.entry("org.apache.zookeeper.", STORES),
          Map.entry("org.apache.hadoop.tools.", "bases of command lines"),
          Map.entry("org.apache.hadoop.util.ExitUtil$", "what a command line throws at its end"),
          Map.entry("org.codehaus.jettison.", SERVERS),
          Map.entry("org.eclipse.jetty.", SERVERS),
          Map.entry("org.glassfish.jersey.", SERVERS));

  @TempDir private Path directory;

  @Test
  void whatSharedClassesNameIsShared() throws Exception {
    Map<String, TreeSet<String>> found = new TreeMap<>();
    int classes = 0;
    for (String entry : System.getProperty("java.class.path").split(":")) {
      String jar = Path.of(entry).getFileName().toString();
      if (!jar.matches("hadoop-.*\\.jar") || jar.matches(".*(tests|shaded).*\\.jar")) {
        continue;
      }
      try (JarFile file = new JarFile(entry)) {
        for (String name :
            file.stream()
                .map(each -> each.getName())
                .filter(each -> each.endsWith(".class") && !each.startsWith("META-INF"))
                .map(each -> each.replace('/', '.').substring(0, each.length() - 6))
                .toList()) {
          if (SharedNames.has(name)) {
            classes++;
            look(name, found);
          }
        }
      }
    }
    assertTrue(classes > 3_000, classes + " classes");
    found.keySet().removeIf(name -> ALLOWED.keySet().stream().anyMatch(name::startsWith));
    StringBuilder text = new StringBuilder();
    found.forEach(
        (name, by) -> text.append(name + " by " + by.first() + " and " + by.size() + "\n"));
    assertEquals("", text.toString());
  }

  private static void look(String name, Map<String, TreeSet<String>> found) {
    try {
      Class<?> shared = Class.forName(name, false, SharedNamesTest.class.getClassLoader());
      assertTrue(SharedNames.isShared(shared), name);
      if (isPublic(shared)) {
        named(shared)
            .filter(type -> !SharedNames.has(type))
            .forEach(type -> found.computeIfAbsent(type, of -> new TreeSet<>()).add(name));
      }
    } catch (ClassNotFoundException | LinkageError e) {
      // It needs a library that is not here, and so is of no use to a program here.
    }
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()));
  }

  private static Stream<String> named(Class<?> type) {
    Stream<Class<?>> inherited =
        Stream.concat(Stream.ofNullable(type.getSuperclass()), Stream.of(type.getInterfaces()));
    Stream<Class<?>> methods =
        Stream.of(type.getDeclaredMethods())
            .filter(method -> isOpen(method.getModifiers()))
            .flatMap(SharedNamesTest::types);
    Stream<Class<?>> constructors =
        Stream.of(type.getDeclaredConstructors())
            .filter(constructor -> isOpen(constructor.getModifiers()))
            .map(Constructor::getParameterTypes)
            .flatMap(Arrays::stream);
    Stream<Class<?>> fields =
        Stream.of(type.getDeclaredFields())
            .filter(field -> isOpen(field.getModifiers()))
            .map(Field::getType);
    return Stream.of(inherited, methods, constructors, fields)
        .flatMap(types -> types)
        .map(SharedNamesTest::element)
        .filter(each -> !each.isPrimitive())
        .map(Class::getName);
  }

  private static Stream<Class<?>> types(Method method) {
    return Stream.of(
            Stream.of(method.getReturnType()),
            Stream.of(method.getParameterTypes()),
            Stream.of(method.getExceptionTypes()))
        .flatMap(types -> types);
  }

  private static Class<?> element(Class<?> type) {
    return type.isArray() ? element(type.getComponentType()) : type;
  }

  private static boolean isOpen(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }

  /** Its name would be shared, and the engine's class loader has it. */
  @Test
  void aClassOfAProgramInAPackageOfHadoopsIsEachSlotsOwn() throws Exception {
    Configuration job = new Configuration(false);
    job.setClassLoader(getClass().getClassLoader());
    Class<?> program = org.apache.hadoop.mapreduce.program.Counts.class;
    assertTrue(SharedNames.has(program.getName()));
    assertFalse(SharedNames.isShared(program));
    Class<?> own = new SlotLoader(job).loadClass(program.getName());
    assertNotSame(program, own);
    assertNotSame(own, new SlotLoader(job).loadClass(program.getName()));
  }

  /** As File.toURL() and old launchers make them. */
  @Test
  void aJarWithHadoopWithinIsFoundByAUrlThatIsNoUri() throws Exception {
    CompiledClasses.of(
            directory,
            Map.of("Inner", "package org.apache.hadoop.io.brought; public class Inner {}"))
        .close();
    String name = "org/apache/hadoop/io/brought/Inner.class";
    Path jar = Files.createDirectory(directory.resolve("a b[1]")).resolve("with.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry("META-INF/maven/org.apache.hadoop/"));
      out.putNextEntry(new JarEntry(name));
      Files.copy(directory.resolve("classes").resolve(name), out);
    }
    URL unescaped = new URL("file:" + jar);
    try (URLClassLoader client = new URLClassLoader(new URL[] {unescaped}, null)) {
      assertTrue(SharedNames.isShared(client.loadClass("org.apache.hadoop.io.brought.Inner")));
    }
  }

  @Test
  void programsBelowHadoopsNameAreNotShared() {
    for (String program :
        List.of(
            "org.apache.hadoop.hive.ql.exec.Utilities",
            "org.apache.hadoop.hbase.client.Result",
            "org.apache.hadoop.examples.WordCount",
            "org.apache.hadoop.streaming.PipeMapper",
            "org.apache.hadoop.typedbytes.TypedBytesWritable",
            "org.apache.hadoop.tools.DistCp",
            "org.apache.hadoop.contrib.Any",
            "org.apache.hadoop.ozone.Any",
            "org.apache.hadoop.mapred.gridmix.Gridmix",
            "org.apache.avro.specific.SpecificData",
            "io.sluice.workloads.Any",
            "foreign.Programs",
            "WithoutPackage")) {
      assertFalse(SharedNames.has(program), program);
    }
  }
}
