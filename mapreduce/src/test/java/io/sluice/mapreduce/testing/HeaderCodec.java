package io.sluice.mapreduce.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.zlib.BuiltInZlibDeflater;
import org.apache.hadoop.io.compress.zlib.BuiltInZlibInflater;

/**
 * A codec that is right for MapReduce, which never resets a stream, and for nobody who does: a
 * stream writes its header when it is made, and refuses to be reset when it reads. Behind the
 * header lies what was written; compressor and decompressor are there to be pooled.
 */
public final class HeaderCodec implements CompressionCodec {
  private static final int HEADER = 0x5a;

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out) throws IOException {
    return createOutputStream(out, null);
  }

  @Override
  public CompressionOutputStream createOutputStream(OutputStream stored, Compressor compressor)
      throws IOException {
    stored.write(HEADER);
    return new CompressionOutputStream(stored) {
      @Override
      public void write(int b) throws IOException {
        stored.write(b);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        stored.write(bytes, offset, length);
      }

      @Override
      public void finish() {}

      @Override
      public void resetState() {}
    };
  }

  @Override
  public Class<? extends Compressor> getCompressorType() {
    return BuiltInZlibDeflater.class;
  }

  @Override
  public Compressor createCompressor() {
    return new BuiltInZlibDeflater();
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in) throws IOException {
    return createInputStream(in, null);
  }

  @Override
  public CompressionInputStream createInputStream(InputStream stored, Decompressor decompressor)
      throws IOException {
    return new CompressionInputStream(stored) {
      private boolean begun;

      private void begin() throws IOException {
        if (!begun && stored.read() != HEADER) {
          throw new IOException("there is no header");
        }
        begun = true;
      }

      @Override
      public int read() throws IOException {
        begin();
        return stored.read();
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        begin();
        return stored.read(bytes, offset, length);
      }

      @Override
      public void resetState() {
        throw new UnsupportedOperationException("nobody resets this");
      }
    };
  }

  @Override
  public Class<? extends Decompressor> getDecompressorType() {
    return BuiltInZlibInflater.class;
  }

  @Override
  public Decompressor createDecompressor() {
    return new BuiltInZlibInflater();
  }

  @Override
  public String getDefaultExtension() {
    return ".header";
  }
}
