package io.sluice.node.wire;

import io.sluice.node.wire.Versions.AgreedVersion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret that the tasks of one application share, and the proof that a peer holds it.
 *
 * <p>Each side sends a fresh nonce and the HMAC-SHA-256 of (role, both nonces, application, what
 * was said about versions). So a recorded conversation proves nothing, and neither side can reflect
 * the other's proof. Nobody between them can have them speak an older version than both could. The
 * secret itself never travels over TCP.
 *
 * <p>Thread contract: immutable. {@code toString} does not show the key.
 */
public final class JobSecret {
  /** Length of each side's nonce. */
  public static final int NONCE_BYTES = 16;

  /** Upper bound on a secret that is accepted from a peer. */
  public static final int MAX_SECRET_BYTES = 1024;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] key;

  /** Wraps a copy of the engine's key, which must not be empty. */
  public JobSecret(byte[] key) {
    if (key.length == 0 || key.length > MAX_SECRET_BYTES) {
      throw new IllegalArgumentException(
          "job secret has " + key.length + " bytes, expected 1 to " + MAX_SECRET_BYTES);
    }
    this.key = key.clone();
  }

  /** A copy of the key, to hand it to the node service over the Unix socket. */
  public byte[] bytes() {
    return key.clone();
  }

  /** The reader's proof. */
  public byte[] clientProof(
      byte[] serverNonce, byte[] clientNonce, String applicationId, AgreedVersion version) {
    return proof("sluice-client", serverNonce, clientNonce, applicationId, version);
  }

  /** The service's proof. */
  public byte[] serverProof(
      byte[] serverNonce, byte[] clientNonce, String applicationId, AgreedVersion version) {
    return proof("sluice-server", serverNonce, clientNonce, applicationId, version);
  }

  private byte[] proof(
      String role,
      byte[] serverNonce,
      byte[] clientNonce,
      String applicationId,
      AgreedVersion version) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      updateField(mac, role.getBytes(StandardCharsets.US_ASCII));
      updateField(mac, serverNonce);
      updateField(mac, clientNonce);
      updateField(mac, applicationId.getBytes(StandardCharsets.UTF_8));
      updateField(mac, version.bytes());
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime must have " + ALGORITHM, e);
    }
  }

  // Each field goes in with its length, so that no two splits of the same bytes collide.
  private static void updateField(Mac mac, byte[] field) {
    mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(field.length).array());
    mac.update(field);
  }

  /** Compares two proofs in constant time. */
  public static boolean proofsEqual(byte[] expected, byte[] actual) {
    return MessageDigest.isEqual(expected, actual);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof JobSecret s && MessageDigest.isEqual(key, s.key);
  }

  @Override
  public int hashCode() {
    return java.util.Arrays.hashCode(key);
  }

  @Override
  public String toString() {
    return "JobSecret(" + key.length + " bytes)";
  }
}
