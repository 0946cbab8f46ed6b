package io.sluice.spark.persist;

import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.security.CryptoStreamUtils;
import scala.Option;

/**
 * Encrypts blocks as Spark encrypts its files, if {@code spark.io.encryption.enabled} is set.
 *
 * <p>Thread contract: immutable.
 */
record Cipher(SparkConf conf, Option<byte[]> key) {

  static Cipher of(SparkConf conf, SecurityManager security) {
    return new Cipher(conf, security.getIOEncryptionKey());
  }

  WritableByteChannel encrypt(WritableByteChannel sink) throws IOException {
    return key.isEmpty() ? sink : CryptoStreamUtils.createWritableChannel(sink, conf, key.get());
  }

  ReadableByteChannel decrypt(ReadableByteChannel source) throws IOException {
    return key.isEmpty()
        ? source
        : CryptoStreamUtils.createReadableChannel(source, conf, key.get());
  }
}
