package io.sluice.memory.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.memory.conf.MemorySettings;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.InvalidPathException;
import org.apache.hadoop.fs.Options.CreateOpts;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be created can be listed, read, renamed and deleted; HDFS's rule decides what can. */
class HostileNamesTest {
  private static final String HERE = "/names";

  @TempDir private Path directory;
  private final Configuration conf = new Configuration();
  private FileSystem fs;

  @BeforeEach
  void open() throws IOException {
    FileSystem.setDefaultUri(conf, "sluice:///");
    fs = FileSystem.get(conf);
    fs.create(path("a")).close();
  }

  @AfterEach
  void clear() throws IOException {
    fs.delete(new org.apache.hadoop.fs.Path(HERE), true);
  }

  private static org.apache.hadoop.fs.Path path(String name) {
    return new org.apache.hadoop.fs.Path(HERE + "/" + name);
  }

  private void refuses(Class<? extends Exception> reason, Executable each) {
    assertThrows(reason, each);
  }

  /** Each way to give something a name. */
  private void cannotBeNamed(String name, Class<? extends Exception> reason) throws IOException {
    FileContext context = FileContext.getFileContext(conf);
    EnumSet<CreateFlag> create = EnumSet.of(CreateFlag.CREATE);
    refuses(reason, () -> fs.create(path(name)).close());
    refuses(reason, () -> fs.create(path(name + "/below")).close());
    refuses(
        reason,
        () -> fs.createNonRecursive(path(name), true, 1, (short) 1, 1L << 20, null).close());
    refuses(reason, () -> fs.createFile(path(name)).build().close());
    refuses(reason, () -> fs.mkdirs(path(name + "/below")));
    refuses(reason, () -> fs.rename(path("a"), path(name)));
    refuses(reason, () -> context.create(path(name), create, CreateOpts.createParent()).close());
    refuses(reason, () -> context.mkdir(path(name), FsPermission.getDirDefault(), true));
    refuses(reason, () -> context.rename(path("a"), path(name)));
    FileStatus[] there = fs.listStatus(new org.apache.hadoop.fs.Path(HERE));
    assertEquals(1, there.length, "nothing was made");
    assertEquals(1, fs.getContentSummary(new org.apache.hadoop.fs.Path(HERE)).getFileCount());
  }

  @ParameterizedTest
  @ValueSource(strings = {"12:00", "x:", "in:side/below"})
  void aNameHasNoColon(String name) throws IOException {
    cannotBeNamed(name, IllegalArgumentException.class);
  }

  @Test
  void aPathCannotLeadOutOfTheRoot() {
    org.apache.hadoop.fs.Path outside = new org.apache.hadoop.fs.Path("/../neighbour");
    assertThrows(InvalidPathException.class, () -> fs.create(outside).close());
    assertThrows(InvalidPathException.class, () -> fs.mkdirs(outside));
    assertThrows(InvalidPathException.class, () -> fs.rename(path("a"), outside));
    assertThrows(InvalidPathException.class, () -> fs.delete(outside, true));
  }

  @Test
  void aNameHasUpTo255Bytes() throws IOException {
    String longest = "ü".repeat(127) + "x";
    fs.create(path(longest)).close();
    assertTrue(fs.delete(path(longest), false));
    cannotBeNamed(longest + "x", PathIOException.class);
  }

  @Test
  void aPathThatIsTooLongOrTooDeepIsRefused() {
    assertThrows(PathIOException.class, () -> fs.mkdirs(path("d/".repeat(1_000) + "d")));
    assertThrows(PathIOException.class, () -> fs.mkdirs(path(("x".repeat(200) + "/").repeat(40))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a%20b",
        "%2e%2e",
        "new\nline",
        "dot.",
        "...",
        "..a",
        "~",
        "ünï",
        "日本",
        "a b",
        "#x",
        "?q=1",
        "*",
        "[a]",
        "{a,b}",
        "a\\b",
        "\u007f",
        "$(x)",
        "-r"
      })
  void whatCanBeCreatedCanBeListedReadRenamedAndDeleted(String name) throws IOException {
    org.apache.hadoop.fs.Path file =
        new org.apache.hadoop.fs.Path(new org.apache.hadoop.fs.Path(HERE + "/odd"), name);
    fs.create(file).close();
    FileStatus listed = fs.listStatus(file.getParent())[0];
    assertEquals(name, listed.getPath().getName());
    fs.open(listed.getPath()).close();
    assertTrue(fs.rename(listed.getPath(), path("renamed")));
    assertTrue(fs.rename(path("renamed"), file));
    assertTrue(fs.delete(file, false));
    assertFalse(fs.exists(file));
  }

  @Test
  void aFileIsNoDirectory() {
    assertThrows(IOException.class, () -> fs.create(path("a/below")).close());
    assertThrows(IOException.class, () -> fs.mkdirs(path("a/below")));
    assertThrows(IOException.class, () -> fs.mkdirs(path("a")));
  }

  /** Writes what it is told behind, in a process whose locale has no umlauts. */
  static final class Behind {
    private Behind() {}

    public static void main(String[] arguments) throws IOException {
      Configuration conf = new Configuration();
      conf.set("hadoop.tmp.dir", arguments[0] + "/tmp");
      conf.set(MemorySettings.MEMORY_MB.name(), "16");
      conf.set(
          MemorySettings.WRITE_BEHIND.name(), Path.of(arguments[0], "place").toUri().toString());
      FileSystem fs = FileSystem.get(URI.create("sluice:///"), conf);
      for (String name : List.of("plain", "\u00fc", "x".repeat(251), "y".repeat(250), "last")) {
        try {
          fs.create(new org.apache.hadoop.fs.Path("/" + name)).close();
        } catch (IOException e) {
          System.out.println("refused: " + e.getMessage());
        }
      }
      fs.close();
      System.exit(0);
    }
  }

  @Test
  void whatCannotBeWrittenBehindIsRefusedAlone() throws Exception {
    List<String> command = new ArrayList<>(List.of("env", "LC_ALL=C"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Behind.class.getName()));
    command.add(directory.toString());
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertTrue(process.waitFor(2, TimeUnit.MINUTES), "it ends");
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertEquals(0, process.exitValue(), text);
    assertTrue(text.contains("LC_ALL=C.UTF-8"), text);
    assertTrue(text.contains("has 251 bytes, and the name of a local file may have 250"), text);
    assertEquals(2, text.split("refused: ", -1).length - 1, text);
    for (String name : List.of("plain", "y".repeat(250), "last")) {
      assertTrue(Files.exists(directory.resolve("place").resolve(name)), text);
    }
  }
}
