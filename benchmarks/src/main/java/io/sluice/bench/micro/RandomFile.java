package io.sluice.bench.micro;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A file in tmpfs to be read in ranges, the same bytes each time. */
@State(Scope.Benchmark)
public class RandomFile {
  /** Of each read, or of each call of a sender and a receiver. */
  @Param({"4096", "65536", "1048576", "4194304"})
  public int rangeBytes;

  /** Of all of it. */
  @Param("134217728")
  public int lengthBytes;

  /** Where it is made. */
  @Param("/dev/shm")
  public String parent;

  Path path;

  /** Writes it. */
  @Setup
  public void write() throws IOException {
    byte[] bytes = new byte[lengthBytes];
    new Random(1).nextBytes(bytes);
    path = Files.createTempFile(Path.of(parent), "sluice-bench-", ".bytes");
    try {
      Files.write(path, bytes);
    } catch (IOException e) {
      Files.delete(path);
      throw e;
    }
  }

  /** Removes it. */
  @TearDown
  public void delete() throws IOException {
    Files.delete(path);
  }
}
