package io.sluice.mapreduce.map;

import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.record.RecordFormat;
import io.sluice.spill.record.RunEncoder;
import io.sluice.spill.sort.SortedRecords;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;

/**
 * Writes the runs of one map output: sorted records straight from the sort buffer into the leased
 * extent where nothing stands between, through an encoder and the job's codec where one does, and
 * through a cipher where the job's map outputs are encrypted.
 *
 * <p>Thread contract: one thread. Ownership: output and key stay their owner's; {@link #close}
 * gives the compressor back. Failure: {@link IOException} of the pool or the codec.
 */
final class RunWriter implements AutoCloseable {
  private final OutputWriter out;
  private final CompressionCodec codec;
  private final RunEncryptor encryptor;
  private final RunEncoder.Sink stored;
  private final Compressor compressor;

  /** Writes to {@code out}, through {@code codec} and with {@code key} unless they are null. */
  RunWriter(OutputWriter out, CompressionCodec codec, OutputKey key) {
    this.out = out;
    this.codec = codec;
    this.encryptor = key == null ? null : new RunEncryptor(key, out::write);
    this.stored = encryptor == null ? out::write : encryptor::write;
    this.compressor = codec == null ? null : CodecPool.getCompressor(codec);
  }

  /** Writes one encoder's worth of records. */
  @FunctionalInterface
  interface Body {
    /** Appends the records, without finishing the encoder. */
    void writeTo(RunEncoder encoder)
        throws IOException, InterruptedException, ClassNotFoundException;
  }

  /** Writes the records of one partition as a run and returns how many there were. */
  long writeSorted(int partition, SortedRecords records) throws IOException {
    int first = records.firstOf(partition);
    int end = records.endOf(partition);
    beginRun(partition);
    if (codec == null) {
      if (encryptor == null) {
        gather(records, first, end);
      } else {
        gatherEncrypted(records, first, end);
      }
      endRun(records.encodedBytes(partition) + RecordFormat.END_BYTES, end - first);
    } else {
      CompressedRun run = new CompressedRun();
      byte[] record = new byte[256];
      for (int position = first; position < end; position++) {
        int length = records.encodedLength(position);
        if (length > record.length) {
          record = new byte[Math.max(length, 2 * record.length)];
        }
        records.copyEncoded(position, record, 0);
        run.encoder.appendEncoded(record, 0, length, 1);
      }
      run.end();
    }
    return end - first;
  }

  private void beginRun(int partition) {
    out.beginRun(partition);
    if (encryptor != null) {
      encryptor.beginRun(partition);
    }
  }

  private void endRun(long rawLengthBytes, long records) throws IOException {
    if (encryptor != null) {
      encryptor.endRun();
    }
    out.endRun(rawLengthBytes, records);
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
    byte[] parted = new byte[256]; // for a record that does not fit what is left of the block
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

  /** Writes what {@code body} appends as a run and returns how many records it has. */
  long write(int partition, Body body)
      throws IOException, InterruptedException, ClassNotFoundException {
    beginRun(partition);
    if (codec != null) {
      CompressedRun run = new CompressedRun();
      body.writeTo(run.encoder);
      run.end();
      return run.encoder.records();
    }
    RunEncoder encoder = new RunEncoder(stored);
    body.writeTo(encoder);
    encoder.finish();
    endRun(encoder.rawLengthBytes(), encoder.records());
    return encoder.records();
  }

  @Override
  public void close() {
    if (compressor != null) {
      CodecPool.returnCompressor(compressor);
    }
  }

  /** An encoder before the codec's stream. */
  private final class CompressedRun {
    final CompressionOutputStream stream;
    final RunEncoder encoder;

    CompressedRun() throws IOException {
      OutputStream compressed = new StoredBytes();
      if (compressor == null) {
        stream = codec.createOutputStream(compressed);
      } else {
        compressor.reset();
        stream = codec.createOutputStream(compressed, compressor);
      }
      encoder = new RunEncoder(stream::write);
    }

    void end() throws IOException {
      encoder.finish();
      stream.close(); // which finishes it, and gives back what the codec took for itself
      endRun(encoder.rawLengthBytes(), encoder.records());
    }
  }

  private final class StoredBytes extends OutputStream {
    private final byte[] one = new byte[1];

    @Override
    public void write(int b) throws IOException {
      one[0] = (byte) b;
      write(one, 0, 1);
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
      stored.write(b, off, len);
    }
  }
}
