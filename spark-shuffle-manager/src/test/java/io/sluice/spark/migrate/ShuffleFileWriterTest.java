package io.sluice.spark.migrate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.migrate.OutgoingOutputs.Names;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.MapOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs of a pool in files, where these cannot be written or deleted. */
class ShuffleFileWriterTest {
  private static final int OUTPUT_BYTES = 2 << 20;

  @TempDir private Path base;
  private Path directory;
  private ExecutorPool pool;

  @BeforeEach
  void open() throws IOException {
    directory = Files.createDirectory(base.resolve("files"));
    SparkConf conf =
        new SparkConf(false)
            .set("spark.sluice.pool.dir", base.toString())
            .set("spark.sluice.pool.capacity", "16m")
            .set("spark.sluice.pool.segmentSize", "4m");
    ApplicationSecret.create(conf);
    pool =
        ExecutorPool.open(
            conf, new ExecutorTransports(conf), null, "app-1", "1", List.of(base.resolve("local")));
    for (int mapId = 0; mapId < 2; mapId++) {
      try (MapOutput output = pool.newOutput(pool.begin(4), mapId, 1)) {
        output.append(0, ByteBuffer.allocate(OUTPUT_BYTES), 1);
        output.commit();
      }
    }
  }

  @AfterEach
  void close() throws IOException {
    pool.close();
  }

  private static ShuffleBlockInfo output(int mapId) {
    return new ShuffleBlockInfo(4, mapId);
  }

  private Names names(ShuffleBlockInfo output) {
    return new Names(
        directory.resolve(output.mapId() + ".data"), directory.resolve(output.mapId() + ".index"));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void anOutputIsTwoFilesUntilItsShuffleIsFreed() throws IOException {
    OutgoingOutputs laidOut = new OutgoingOutputs(this::names);
    laidOut.layOut(pool, output(0));
    laidOut.layOut(pool, output(1));
    laidOut.layOut(pool, output(2)); // nobody has it
    assertEquals(List.of("0.data", "0.index", "1.data", "1.index"), files());
    assertEquals(OUTPUT_BYTES, Files.size(directory.resolve("0.data")));
    assertEquals(16, Files.size(directory.resolve("0.index")));
    laidOut.free(3);
    assertEquals(4, files().size());
    laidOut.free(4);
    assertEquals(List.of(), files());
  }

  @Test
  void nothingStaysOnAFullDiskButTheReason() throws Exception {
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", directory.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(mount.getInputStream().readAllBytes());
    Assumptions.assumeTrue(mount.waitFor() == 0, "root alone mounts file systems: " + said);
    try {
      OutgoingOutputs laidOut = new OutgoingOutputs(this::names);
      laidOut.layOut(pool, output(0));
      IOException full = assertThrows(IOException.class, () -> laidOut.layOut(pool, output(1)));
      assertTrue(full.getMessage().contains("No space left on device"), full.toString());
      assertEquals(List.of("0.data", "0.index"), files());
      laidOut.free(4);
      laidOut.layOut(pool, output(1)); // there is room again
      assertEquals(List.of("1.data", "1.index"), files());
    } finally {
      new ProcessBuilder("umount", directory.toString()).inheritIO().start().waitFor();
    }
  }

  @Test
  void noDataStaysWhoseIndexCannotBeWritten() throws IOException {
    OutgoingOutputs laidOut =
        new OutgoingOutputs(
            output -> new Names(names(output).data(), base.resolve("absent/index")));
    assertThrows(NoSuchFileException.class, () -> laidOut.layOut(pool, output(0)));
    assertEquals(List.of(), files());
  }

  /** Its name is that of a directory with something in it. */
  @Test
  void whatCannotBeDeletedDoesNotHideWhy() throws IOException {
    Files.createDirectories(directory.resolve("0.data.sluice/something"));
    OutgoingOutputs laidOut = new OutgoingOutputs(this::names);
    IOException why = assertThrows(IOException.class, () -> laidOut.layOut(pool, output(0)));
    assertTrue(why.getMessage().contains("Is a directory"), why.toString());
    assertEquals(DirectoryNotEmptyException.class, why.getSuppressed()[0].getClass());
  }

  @Test
  void oneFileThatCannotBeDeletedKeepsNoOther() throws IOException {
    OutgoingOutputs laidOut = new OutgoingOutputs(this::names);
    laidOut.layOut(pool, output(0));
    laidOut.layOut(pool, output(1));
    for (String index : List.of("0.index", "1.index")) {
      Files.delete(directory.resolve(index));
      Files.createDirectories(directory.resolve(index + "/something"));
    }
    IOException why = assertThrows(DirectoryNotEmptyException.class, () -> laidOut.free(4));
    assertEquals(1, why.getSuppressed().length);
    assertEquals(List.of("0.index", "1.index"), files());
  }
}
