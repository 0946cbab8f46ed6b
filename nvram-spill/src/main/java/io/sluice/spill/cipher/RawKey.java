package io.sluice.spill.cipher;

import java.util.Arrays;
import javax.crypto.SecretKey;

/**
 * The bytes of a key, which can be made zero: the JDK's own {@code SecretKeySpec} keeps a copy
 * until it is collected. The round keys in the JDK's ciphers stay until those are collected.
 *
 * <p>Thread contract: safe from any thread. A use during {@link #destroy} gets the key or fails; it
 * never gets zeros, which would make a true output look forged. Ownership: its maker destroys it.
 * Failure: {@link IllegalStateException} when it is used after that.
 */
final class RawKey implements SecretKey {
  private static final long serialVersionUID = 1L;

  private final transient byte[] bytes;
  private final String algorithm;
  private transient boolean destroyed;

  /** Takes over the array. */
  RawKey(byte[] bytes, String algorithm) {
    this.bytes = bytes;
    this.algorithm = algorithm;
  }

  @Override
  public String getAlgorithm() {
    return algorithm;
  }

  @Override
  public String getFormat() {
    return "RAW";
  }

  @Override
  public synchronized byte[] getEncoded() {
    if (destroyed) {
      throw new IllegalStateException("the key is destroyed");
    }
    return bytes.clone();
  }

  @Override
  public synchronized void destroy() {
    destroyed = true;
    Arrays.fill(bytes, (byte) 0);
  }

  @Override
  public synchronized boolean isDestroyed() {
    return destroyed;
  }

  @Override
  public String toString() {
    return algorithm + " key of " + 8 * bytes.length + " bits";
  }
}
