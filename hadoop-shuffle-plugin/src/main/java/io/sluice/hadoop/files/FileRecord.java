package io.sluice.hadoop.files;

import io.sluice.node.wire.Bounded;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Optional;

/**
 * The file in the root that has the name of a file of the cluster.
 *
 * <pre>
 * "SLF" | '1', the format | int8 0 | the bytes of the file
 *
 * "SLF" | '1', the format | int8 1 | string host | int32 port | string application | string name |
 *                                    int64 block bytes | int32 run bytes | int8 1 if it is copied |
 *                                    int64 length | "END1"
 *                                    only these two say that the file is whole
 * </pre>
 *
 * @param isWhole whether its writer has closed it, as far as the record says
 * @param pooled where its bytes are, if not in the record
 * @param lengthBytes of the file; computed from the record's length if the bytes lie in the record
 */
record FileRecord(boolean isWhole, Optional<PooledFile> pooled, long lengthBytes) {
  /** Length of the head, before the bytes of a file that lies in its record. */
  static final int HEAD_BYTES = 5;

  private static final int MAGIC = 0x534c46; // "SLF"
  private static final char FORMAT = '1';
  private static final int HEAD = MAGIC << Byte.SIZE | FORMAT;
  private static final int END = 0x454e4431; // "END1"
  private static final int INLINE = 0;
  private static final int POOLED = 1;

  /** Writes the head of a record that the file's bytes follow. */
  static void writeInlineHead(DataOutputStream out) throws IOException {
    out.writeInt(HEAD);
    out.writeByte(INLINE);
  }

  /** Writes the head of the record of a file in a pool; a deletion finds the outputs by it. */
  static void writeHead(DataOutputStream out, PooledFile file) throws IOException {
    out.writeInt(HEAD);
    out.writeByte(POOLED);
    Bounded.writeString(out, file.host());
    out.writeInt(file.controlPort());
    Bounded.writeString(out, file.applicationId());
    Bounded.writeString(out, file.name());
    out.writeLong(file.blockBytes());
    out.writeInt(file.runBytes());
    out.writeBoolean(file.copied());
  }

  /** Writes the end of the record of a file in a pool. */
  static void writeEnd(DataOutputStream out, long lengthBytes) throws IOException {
    out.writeLong(lengthBytes);
    out.writeInt(END);
  }

  /**
   * Reads a record, up to the bytes of a file that lies in it.
   *
   * @param recordBytes length of the record
   * @throws IOException if it is no record, or one of another release
   */
  static FileRecord read(DataInputStream in, long recordBytes) throws IOException {
    int kind;
    try {
      int head = in.readInt();
      kind = in.readUnsignedByte();
      char format = (char) (head & 0xff);
      if (head != HEAD && head >>> Byte.SIZE == MAGIC && Character.isDigit(format)) {
        throw new IOException(
            "this file of sluice://cluster/ is of another release of Sluice: it has format %s, this release %s"
                .formatted(format, FORMAT));
      }
      if (head != HEAD || kind > POOLED) {
        throw new IOException(
            "this is no file of sluice://cluster/: it begins with %08x and %s"
                .formatted(head, kind));
      }
    } catch (EOFException e) {
      return new FileRecord(false, Optional.empty(), 0); // nothing was written yet
    }
    return kind == INLINE
        ? new FileRecord(true, Optional.empty(), Math.max(0, recordBytes - HEAD_BYTES))
        : readPooled(in);
  }

  private static FileRecord readPooled(DataInputStream in) throws IOException {
    PooledFile file;
    try {
      file =
          new PooledFile(
              Bounded.readString(in),
              in.readInt(),
              Bounded.readString(in),
              Bounded.readString(in),
              in.readLong(),
              in.readInt(),
              in.readBoolean());
    } catch (EOFException e) {
      return new FileRecord(
          false, Optional.empty(), 0); // no bytes are written before the head is whole
    } catch (IllegalArgumentException e) {
      throw new IOException("this is no file of sluice://cluster/: " + e.getMessage(), e);
    }
    try {
      long lengthBytes = in.readLong();
      int end = in.readInt();
      if (lengthBytes < 0 || end != END) {
        throw new IOException(
            "the record of a file ends with length %s and %08x".formatted(lengthBytes, end));
      }
      return new FileRecord(true, Optional.of(file), lengthBytes);
    } catch (EOFException e) {
      return new FileRecord(false, Optional.of(file), 0);
    }
  }
}
