package io.sluice.it.lab;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** Rows for TeraSort without the job that makes them: starting it costs an emulator minutes. */
final class TeraRows {
  static final int ROW_BYTES = 100;

  private TeraRows() {}

  /** Writes files of seeded rows, one for each map task. */
  static void write(Path directory, int files, int rowsPerFile) throws IOException {
    Files.createDirectories(directory);
    Random random = new Random(7);
    byte[] row = new byte[ROW_BYTES];
    for (int i = 0; i < files; i++) {
      Path file = directory.resolve("part-m-0000" + i);
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
        for (int r = 0; r < rowsPerFile; r++) {
          random.nextBytes(row);
          out.write(row);
        }
      }
    }
  }

  /** Length and digest of all parts of an output in their order. */
  static String digest(Path directory) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (Path part : parts(directory, "part-r-")) {
      contents.add(Files.readAllBytes(part));
    }
    return digest(contents);
  }

  /** The same of what sorting an input gives: this is no job's word. */
  static String sortedDigest(Path directory) throws IOException {
    List<byte[]> rows = new ArrayList<>();
    for (Path part : parts(directory, "part-m-")) {
      byte[] bytes = Files.readAllBytes(part);
      for (int from = 0; from < bytes.length; from += ROW_BYTES) {
        rows.add(Arrays.copyOfRange(bytes, from, from + ROW_BYTES));
      }
    }
    rows.sort(Arrays::compareUnsigned);
    return digest(rows);
  }

  private static String digest(List<byte[]> contents) {
    MessageDigest digest = sha256();
    long lengthBytes = 0;
    for (byte[] bytes : contents) {
      digest.update(bytes);
      lengthBytes += bytes.length;
    }
    return lengthBytes + " bytes, SHA-256 " + HexFormat.of().formatHex(digest.digest());
  }

  private static List<Path> parts(Path directory, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .sorted()
          .toList();
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
