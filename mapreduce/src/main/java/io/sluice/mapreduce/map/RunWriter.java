package io.sluice.mapreduce.map;

import io.sluice.mapreduce.merge.RunCodec.RunCompressor;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.format.RunEncoder;
import io.sluice.spill.sort.SortedRecords;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes the runs of one map output. Without a codec and encryption, sorted records are copied
 * straight from the sort buffer into the leased extent. A codec adds an encoder and a compressor,
 * and encryption adds a cipher.
 *
 * <p>Thread contract: one thread. Ownership: the caller owns output, compressor and key. Failure:
 * {@link IOException} of the pool or the codec.
 */
final class RunWriter {
  private final OutputWriter out;
  private final RunEncryptor encryptor;
  private final RunEncoder.Sink stored;
  private final RunCompressor compressor; // null without a codec

  /**
   * Writes to {@code out}; without compression or encryption {@code compressor} or {@code key} is
   * null.
   */
  RunWriter(OutputWriter out, RunCompressor compressor, OutputKey key) {
    this.out = out;
    this.encryptor = key == null ? null : new RunEncryptor(key, out::write);
    this.stored = encryptor == null ? out::write : encryptor::write;
    this.compressor = compressor;
  }

  /** Writes the records of one run. */
  @FunctionalInterface
  interface Body {
    /** Appends the records, without finishing the encoder. */
    void writeTo(RunEncoder encoder)
        throws IOException, InterruptedException, ClassNotFoundException;
  }

  /** Writes the records of one partition as a run, and returns their number. */
  long writeSorted(int partition, SortedRecords records) throws IOException {
    int first = records.firstOf(partition);
    int end = records.endOf(partition);
    beginRun(partition);
    if (compressor == null) {
      if (encryptor == null) {
        gather(records, first, end);
      } else {
        gatherEncrypted(records, first, end);
      }
      endRun(records.encodedBytes(partition) + RecordFormat.END_BYTES, end - first);
    } else {
      RunEncoder encoder = new RunEncoder(compressor::write);
      byte[] record = new byte[256];
      for (int position = first; position < end; position++) {
        int length = records.encodedLength(position);
        if (length > record.length) {
          record = new byte[Math.max(length, 2 * record.length)];
        }
        records.copyEncoded(position, record, 0);
        encoder.appendEncoded(record, 0, length, 1);
      }
      finish(encoder);
    }
    return end - first;
  }

  private void beginRun(int partition) throws IOException {
    out.beginRun(partition);
    if (encryptor != null) {
      encryptor.beginRun(partition);
    }
    if (compressor != null) {
      compressor.begin(stored);
    }
  }

  private void endRun(long rawLengthBytes, long records) throws IOException {
    if (encryptor != null) {
      encryptor.endRun();
    }
    int chunkBytes = compressor == null ? 0 : compressor.chunkBytes();
    out.endRun(rawLengthBytes, chunkBytes, records);
  }

  /** One memory copy for each record, from the sort buffer into the extent. */
  private void gather(SortedRecords records, int first, int end) throws IOException {
    int position = first;
    while (position < end) {
      ByteBuffer extent = out.reserve(records.encodedLength(position));
      int start = extent.position();
      position = records.copyEncoded(position, end, extent);
      out.advance(extent.position() - start);
    }
    ByteBuffer extent = out.reserve(RecordFormat.END_BYTES);
    RecordFormat.putEnd(extent, extent.position());
    out.advance(RecordFormat.END_BYTES);
  }

  /** One memory copy for each record, into the block that is encrypted next. */
  private void gatherEncrypted(SortedRecords records, int first, int end) throws IOException {
    byte[] parted = new byte[256]; // for a record that does not fit into the rest of the block
    int position = first;
    while (position < end) {
      ByteBuffer room = encryptor.room();
      int start = room.position();
      position = records.copyEncoded(position, end, room);
      encryptor.advance(room.position() - start);
      if (position < end) {
        int length = records.encodedLength(position);
        if (length > parted.length) {
          parted = new byte[Math.max(length, 2 * parted.length)];
        }
        records.copyEncoded(position++, parted, 0);
        encryptor.write(parted, 0, length);
      }
    }
    encryptor.write(parted, 0, RecordFormat.putEnd(parted, 0));
  }

  /** Writes the records of {@code body} as a run, and returns their number. */
  long write(int partition, Body body)
      throws IOException, InterruptedException, ClassNotFoundException {
    beginRun(partition);
    RunEncoder encoder = new RunEncoder(compressor == null ? stored : compressor::write);
    body.writeTo(encoder);
    finish(encoder);
    return encoder.records();
  }

  private void finish(RunEncoder encoder) throws IOException {
    encoder.finish();
    if (compressor != null) {
      compressor.end();
    }
    endRun(encoder.rawLengthBytes(), encoder.records());
  }
}
