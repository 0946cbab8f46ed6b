package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.foreign.ForeignSparkRun.ServedBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServedBytesTest {
  @TempDir private Path directory;

  private void write(String metric, String... values) throws IOException {
    StringBuilder text = new StringBuilder("t,value\n");
    for (int i = 0; i < values.length; i++) {
      text.append(1700000000 + i).append(',').append(values[i]).append('\n');
    }
    Files.writeString(directory.resolve("app-2026-0001." + metric + ".csv"), text);
  }

  private String refusal() {
    return assertThrows(ClusterException.class, () -> ServedBytes.require(directory)).getMessage();
  }

  @Test
  void addsUpTheLastValuesOfAllExecutors() throws IOException {
    write("0.sluice.read.local.bytes", "0", "20", "300");
    write("0.sluice.read.tcp.bytes", "7");
    write("1.sluice.read.inlined.bytes", "1000");
    write("1.sluice.pool.written.bytes", "50000");
    write("1.executor.shuffleBytesWritten", "50000");
    assertEquals(1307, ServedBytes.require(directory));
  }

  @Test
  void bytesThatSparksClientFetchedAreNotServed() throws IOException {
    write("0.sluice.read.local.bytes", "0");
    write("0.sluice.read.spark.bytes", "300");
    assertEquals("Sluice served no byte of the program's shuffles", refusal());
  }

  @Test
  void anApplicationWithoutSluiceIsRefused() throws IOException {
    write("0.executor.shuffleTotalBytesRead", "300");
    assertEquals("Sluice served no byte of the program's shuffles", refusal());
  }

  @Test
  void anExecutorThatWasEndedAtOnceHasServedNone() throws IOException {
    write("0.sluice.read.local.bytes", "300");
    Files.createFile(directory.resolve("app.1.sluice.read.local.bytes.csv"));
    assertEquals(300, ServedBytes.require(directory));
  }
}
