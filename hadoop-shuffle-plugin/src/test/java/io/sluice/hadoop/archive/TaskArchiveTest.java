package io.sluice.hadoop.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Writable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TaskArchiveTest {
  @TempDir private Path directory;

  private int make(String classPath, Path... files) throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("yarn.application.classpath", "$HADOOP_CONF_DIR");
    conf.set("mapreduce.application.classpath", classPath);
    TaskArchive command = new TaskArchive();
    command.setConf(conf);
    return command.run(Stream.of(files).map(Path::toString).toArray(String[]::new));
  }

  private Set<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return new TreeSet<>(files.map(file -> file.getFileName().toString()).toList());
    }
  }

  /** Of a class path that is empty: only the JDK's own classes are in it. */
  @Test
  void replacesWhatIsThereInOneStepAndLeavesNothingElse() throws Exception {
    Path file = directory.resolve("tasks.jsa");
    Files.writeString(file, "an older one");
    assertEquals(0, make("/nothing/there.jar", file));
    assertTrue(Files.size(file) > 1 << 20);
    assertEquals("r--r--r--", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(Set.of("tasks.jsa"), names());
  }

  @Test
  void whatIsThereStaysWhereNoneCanBeMadeAndTheErrorSaysWhatJavaDid() throws Exception {
    Path file = directory.resolve("tasks.jsa");
    Files.writeString(file, "an older one");
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String name = Writable.class.getName().replace('.', '/') + ".class"; // it needs no other
    Files.createDirectories(classes.resolve(name).getParent());
    try (InputStream in = Writable.class.getResourceAsStream("/" + name)) {
      Files.copy(in, classes.resolve(name));
    }
    IOException e = assertThrows(IOException.class, () -> make(classes.toString(), file));
    assertTrue(e.getMessage().contains("non-empty directory"), e.getMessage());
    assertEquals("an older one", Files.readString(file));
    assertEquals(Set.of("classes", "tasks.jsa"), names());
  }

  @Test
  void namesOneFile() throws Exception {
    assertEquals(2, make("/a.jar"));
    assertEquals(2, make("/a.jar", Path.of("--help")));
  }

  @Test
  void theListNamesClassesOfHadoopAndOfSluiceOnce() throws IOException {
    List<String> names = ClassNames.ours();
    assertEquals(names.size(), Set.copyOf(names).size());
    assertTrue(names.contains("org/apache/hadoop/mapred/YarnChild"));
    assertTrue(names.contains("org/apache/hadoop/mapreduce/v2/app/MRAppMaster"));
    assertTrue(names.contains("io/sluice/hadoop/collect/SluiceMapOutputCollector"));
  }
}
