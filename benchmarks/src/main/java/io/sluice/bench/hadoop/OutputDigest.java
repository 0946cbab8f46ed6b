package io.sluice.bench.hadoop;

import io.sluice.it.cluster.WebHdfs;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Tells whether two jobs wrote the same records into the same part files.
 *
 * <p>Of a text the file's bytes are digested. A sequence file has a marker of its own, random, in
 * its head and behind an escape between records:
 *
 * <pre>
 *   | SEQ 6 | key class | value class | compressed? | blocks? | metadata | marker 16 |
 *   | int32 length | int32 key's | key value |   …   | int32 -1 | marker 16 |   …
 * </pre>
 *
 * so its records are. Stateless.
 */
public final class OutputDigest {
  private static final int VERSION_BYTES = 4;
  private static final int MARKER_BYTES = 16;
  private static final int ESCAPE = -1;
  private static final int BUFFER_BYTES = 1 << 16;

  private OutputDigest() {}

  /** A digest of each part file, in their order. */
  public static List<String> of(WebHdfs files, String output, boolean text) {
    List<String> digests = new ArrayList<>();
    for (String part : files.partFiles(output)) {
      try (InputStream in = new BufferedInputStream(files.open(part), BUFFER_BYTES)) {
        digests.add(text ? ofBytes(in) : ofRecords(in));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + part, e);
      }
    }
    return digests;
  }

  private static String ofBytes(InputStream in) throws IOException {
    MessageDigest digest = sha256();
    new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Digests the records of an uncompressed sequence file. */
  static String ofRecords(InputStream file) throws IOException {
    DataInputStream in = new DataInputStream(file);
    in.skipNBytes(VERSION_BYTES);
    skipText(in);
    skipText(in);
    if (in.readBoolean() | in.readBoolean()) {
      throw new IOException("a compressed sequence file: its records cannot be told here");
    }
    for (int pairs = in.readInt(); pairs > 0; pairs--) {
      skipText(in);
      skipText(in);
    }
    in.skipNBytes(MARKER_BYTES);
    MessageDigest digest = sha256();
    long records = 0;
    for (byte[] length = in.readNBytes(Integer.BYTES);
        length.length != 0;
        length = in.readNBytes(Integer.BYTES)) {
      int recordBytes = bigEndian(length);
      if (recordBytes == ESCAPE) {
        in.skipNBytes(MARKER_BYTES);
      } else {
        byte[] record = in.readNBytes(Integer.BYTES + recordBytes); // the key's length before it
        if (record.length < Integer.BYTES + recordBytes) {
          throw new EOFException("a record ends with the file, after " + records);
        }
        digest.update(length);
        digest.update(record);
        records++;
      }
    }
    return records + " records, " + HexFormat.of().formatHex(digest.digest());
  }

  private static void skipText(DataInputStream in) throws IOException {
    int length = in.readByte(); // a variable length, which is one byte for short ones
    if (length < 0) {
      throw new IOException("a name in a sequence file's head is longer than 127 bytes");
    }
    in.skipNBytes(length);
  }

  private static int bigEndian(byte[] four) throws IOException {
    if (four.length < Integer.BYTES) {
      throw new EOFException("a length ends with the file");
    }
    return ByteBuffer.wrap(four).getInt();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
