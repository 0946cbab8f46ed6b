package io.sluice.memory.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.conf.MemorySettings;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is left of a process, in processes of the test's own. */
class ProcessEndTest {
  private static final int FILES = 50;
  private static final int FILE_BYTES = 1 << 20;

  @TempDir private Path directory;

  /** Writes files, and ends while one is still being read. */
  static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) throws IOException {
      Configuration conf = new Configuration();
      conf.set("hadoop.tmp.dir", arguments[0]);
      conf.set(MemorySettings.DIRECTORY.name(), arguments[1]);
      conf.set(MemorySettings.MEMORY_MB.name(), "32");
      if (arguments.length > 2) {
        conf.set(MemorySettings.WRITE_BEHIND.name(), arguments[2]);
      }
      FileSystem fs = FileSystem.get(URI.create("sluice:///"), conf);
      for (int i = 0; i < FILES; i++) {
        try (OutputStream out = fs.create(new org.apache.hadoop.fs.Path("/files/" + i))) {
          out.write(new byte[FILE_BYTES]);
        }
      }
      Thread reader = new Thread(() -> readForEver(fs));
      reader.setDaemon(true);
      reader.start();
      System.exit(0);
    }

    /** Until the disk's part of the files is gone. */
    private static void readForEver(FileSystem fs) {
      byte[] bytes = new byte[FILE_BYTES];
      try {
        while (true) {
          try (var in = fs.open(new org.apache.hadoop.fs.Path("/files/0"))) {
            in.readFully(bytes);
          }
        }
      } catch (IOException e) {
        System.out.println("the end: " + e);
      }
    }
  }

  private String run(String... more) throws IOException, InterruptedException {
    Path memory = Files.createDirectories(directory.resolve("memory"));
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Writer.class.getName(),
                directory.resolve("tmp").toString(),
                memory.toString()));
    command.addAll(List.of(more));
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertTrue(process.waitFor(2, TimeUnit.MINUTES), "it ends");
    String text = Files.readString(output);
    assertEquals(0, process.exitValue(), text);
    for (Path base : List.of(memory, directory.resolve("tmp"))) {
      try (Stream<Path> left = Files.walk(base)) {
        assertFalse(left.anyMatch(file -> file.toString().contains("process-")), text);
      }
    }
    return text;
  }

  @Test
  void nothingIsLeftOfAProcessThatEndsWhileItReads() throws Exception {
    run();
  }

  @Test
  void theEndOfAProcessWaitsForWhatIsWrittenBehind() throws Exception {
    Path place = directory.resolve("place");
    String output = run(place.toUri().toString());
    for (int i = 0; i < FILES; i++) {
      assertEquals(FILE_BYTES, Files.size(place.resolve("files/" + i)), output);
    }
  }

  @Test
  void whoClosesTheFileSystemWaitsForWhatIsWrittenBehind() throws Exception {
    Path place = directory.resolve("place");
    Configuration conf = new Configuration();
    conf.set(MemorySettings.WRITE_BEHIND.name(), "/no/scheme");
    IOException refused =
        assertThrows(IOException.class, () -> FileSystem.get(URI.create("sluice://behind/"), conf));
    assertTrue(refused.getMessage().contains("expected a path with another"), refused.getMessage());
    conf.set(MemorySettings.WRITE_BEHIND.name(), place.toUri().toString());
    FileSystem fs = FileSystem.newInstance(URI.create("sluice://behind/"), conf);
    fs.create(new org.apache.hadoop.fs.Path("/file")).close();
    fs.close();
    assertTrue(Files.exists(place.resolve("behind/file")));
  }
}
