package io.sluice.it.lab;

import io.sluice.it.cluster.PseudoCluster;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;

/** Rows for TeraSort without the job that makes them: starting it costs an emulator a minute. */
final class TeraRows {
  private static final int ROW_BYTES = 100;
  private static final long BLOCK_BYTES = 128L << 20;

  private TeraRows() {}

  /** Uploads files of seeded rows, one for each map task. */
  static void upload(PseudoCluster cluster, String directory, int files, int rowsPerFile)
      throws IOException {
    Random random = new Random(7);
    byte[] row = new byte[ROW_BYTES];
    for (int i = 0; i < files; i++) {
      Path local = Files.createTempFile("rows", ".bin");
      try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(local))) {
        for (int r = 0; r < rowsPerFile; r++) {
          random.nextBytes(row);
          out.write(row);
        }
      }
      cluster.fileSystem().upload(local, directory + "/part-m-0000" + i, BLOCK_BYTES);
      Files.delete(local);
    }
  }

  /** Length and digest of all parts of an output in their order. */
  static String digest(PseudoCluster cluster, String directory) throws IOException {
    MessageDigest digest = sha256();
    long lengthBytes = 0;
    for (String part : cluster.fileSystem().partFiles(directory)) {
      try (InputStream in = new DigestInputStream(cluster.fileSystem().open(part), digest)) {
        lengthBytes += in.transferTo(OutputStream.nullOutputStream());
      }
    }
    return lengthBytes + " bytes, SHA-256 " + HexFormat.of().formatHex(digest.digest());
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
