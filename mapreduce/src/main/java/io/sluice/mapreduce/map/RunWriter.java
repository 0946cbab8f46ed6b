package io.sluice.mapreduce.map;

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
 * extent where nothing stands between, through an encoder and the job's codec where one does.
 *
 * <p>Thread contract: one thread. Ownership: the output stays its owner's; {@link #close} gives the
 * compressor back. Failure: {@link IOException} of the pool or the codec.
 */
final class RunWriter implements AutoCloseable {
  private final OutputWriter out;
  private final CompressionCodec codec;
  private final Compressor compressor;

  /** Writes to {@code out}, through {@code codec} unless that is null. */
  RunWriter(OutputWriter out, CompressionCodec codec) {
    this.out = out;
    this.codec = codec;
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
    out.beginRun(partition);
    if (codec == null) {
      gather(records, first, end);
      out.endRun(records.encodedBytes(partition) + RecordFormat.END_BYTES, end - first);
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

  /** Writes what {@code body} appends as a run and returns how many records it has. */
  long write(int partition, Body body)
      throws IOException, InterruptedException, ClassNotFoundException {
    out.beginRun(partition);
    if (codec != null) {
      CompressedRun run = new CompressedRun();
      body.writeTo(run.encoder);
      run.end();
      return run.encoder.records();
    }
    RunEncoder encoder = new RunEncoder(out::write);
    body.writeTo(encoder);
    encoder.finish();
    out.endRun(encoder.rawLengthBytes(), encoder.records());
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
      OutputStream stored = new StoredBytes();
      if (compressor == null) {
        stream = codec.createOutputStream(stored);
      } else {
        compressor.reset();
        stream = codec.createOutputStream(stored, compressor);
      }
      encoder = new RunEncoder(stream::write);
    }

    void end() throws IOException {
      encoder.finish();
      stream.close(); // which finishes it, and gives back what the codec took for itself
      out.endRun(encoder.rawLengthBytes(), encoder.records());
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
      out.write(b, off, len);
    }
  }
}
