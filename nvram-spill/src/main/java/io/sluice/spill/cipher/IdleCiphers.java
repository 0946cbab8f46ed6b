package io.sluice.spill.cipher;

import io.sluice.spill.format.OutputId;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Ciphers that have decrypted a run, for the next runs of the same writer. To derive a key, to make
 * a cipher and to expand the key in it takes several times as long as to decrypt the few hundred
 * bytes that a run has in a shuffle of many tasks, and whoever reads one partition of an output
 * often reads another later.
 *
 * <p>Thread contract: safe from any thread. Ownership: the {@link ShuffleKey} closes it, which
 * destroys what is here; a cipher that is taken is its taker's.
 */
final class IdleCiphers implements Closeable {
  /** So many are kept, of some 2 KB each: one for each output of a thousand map tasks. */
  static final int MOST = 1024;

  private final Map<Writer, FrameCipher> idle = new LinkedHashMap<>(); // that longest here first
  private boolean closed;

  /** One writer of an output. */
  private record Writer(OutputId id, ByteBuffer salt) {}

  /** One of this writer's runs, or null. */
  synchronized FrameCipher take(OutputId id, byte[] salt) {
    return idle.remove(new Writer(id, ByteBuffer.wrap(salt)));
  }

  /** Keeps one, which its run was read to the end with. */
  synchronized void give(OutputId id, byte[] salt, FrameCipher cipher) {
    FrameCipher former = closed ? cipher : idle.put(new Writer(id, ByteBuffer.wrap(salt)), cipher);
    if (former != null) {
      former.key().destroy();
    }
    if (idle.size() > MOST) {
      var eldest = idle.entrySet().iterator();
      eldest.next().getValue().key().destroy();
      eldest.remove();
    }
  }

  synchronized int count() {
    return idle.size();
  }

  @Override
  public synchronized void close() {
    closed = true;
    idle.values().forEach(cipher -> cipher.key().destroy());
    idle.clear();
  }
}
