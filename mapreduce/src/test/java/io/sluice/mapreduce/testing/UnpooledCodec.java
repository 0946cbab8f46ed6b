package io.sluice.mapreduce.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;

/** A codec that is all stream: there is no compressor to pool, and what is not closed is lost. */
public final class UnpooledCodec implements CompressionCodec {
  @Override
  public CompressionOutputStream createOutputStream(OutputStream out) throws IOException {
    GZIPOutputStream gzip = new GZIPOutputStream(out);
    return new CompressionOutputStream(gzip) {
      @Override
      public void write(int b) throws IOException {
        gzip.write(b);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        gzip.write(bytes, offset, length);
      }

      @Override
      public void finish() throws IOException {
        gzip.finish();
      }

      @Override
      public void resetState() {}
    };
  }

  @Override
  public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor)
      throws IOException {
    throw new AssertionError("there is no compressor");
  }

  @Override
  public Class<? extends Compressor> getCompressorType() {
    return null;
  }

  @Override
  public Compressor createCompressor() {
    return null;
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in) throws IOException {
    GZIPInputStream gzip = new GZIPInputStream(in);
    return new CompressionInputStream(in) {
      @Override
      public int read() throws IOException {
        return gzip.read();
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        return gzip.read(bytes, offset, length);
      }

      @Override
      public void resetState() {}
    };
  }

  @Override
  public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor)
      throws IOException {
    throw new AssertionError("there is no decompressor");
  }

  @Override
  public Class<? extends Decompressor> getDecompressorType() {
    return null;
  }

  @Override
  public Decompressor createDecompressor() {
    return null;
  }

  @Override
  public String getDefaultExtension() {
    return ".unpooled";
  }
}
