package io.sluice.node.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.wire.Versions.AgreedVersion;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class JobSecretTest {
  private static final String APP = "application_1_0001";
  private static final byte[] KEY = "a job's secret".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] A = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
  private static final byte[] B = HexFormat.of().parseHex("ffeeddccbbaa99887766554433221100");

  private static final AgreedVersion VERSION =
      AgreedVersion.highest(new Versions(14, 16), new Versions(9, 15));

  private final JobSecret secret = new JobSecret(KEY);

  @Test
  void theProofIsAnHmacOverEveryFieldWithItsLength() throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update(HexFormat.of().parseHex("0000000d"));
    mac.update("sluice-client".getBytes(StandardCharsets.US_ASCII));
    mac.update(HexFormat.of().parseHex("00000010"));
    mac.update(A);
    mac.update(HexFormat.of().parseHex("00000010"));
    mac.update(B);
    mac.update(HexFormat.of().parseHex("00000012"));
    mac.update(APP.getBytes(StandardCharsets.US_ASCII));
    mac.update(HexFormat.of().parseHex("0000000a"));
    mac.update(HexFormat.of().parseHex("0010000e000f0009000f"));
    assertArrayEquals(mac.doFinal(), secret.clientProof(A, B, APP, VERSION));
  }

  @Test
  void aProofCannotBeReflected() {
    assertFalse(
        JobSecret.proofsEqual(
            secret.clientProof(A, B, APP, VERSION), secret.serverProof(A, B, APP, VERSION)));
    assertFalse(
        JobSecret.proofsEqual(
            secret.clientProof(A, B, APP, VERSION), secret.clientProof(B, A, APP, VERSION)));
  }

  @Test
  void aProofCannotBeReplayed() {
    byte[] otherNonce = B.clone();
    otherNonce[15]++;
    assertFalse(
        JobSecret.proofsEqual(
            secret.clientProof(A, B, APP, VERSION),
            secret.clientProof(otherNonce, B, APP, VERSION)));
    assertFalse(
        JobSecret.proofsEqual(
            secret.serverProof(A, B, APP, VERSION),
            secret.serverProof(A, otherNonce, APP, VERSION)));
  }

  @Test
  void aProofIsOfOneSecretAndOneApplication() {
    byte[] proof = secret.clientProof(A, B, APP, VERSION);
    assertTrue(JobSecret.proofsEqual(proof, new JobSecret(KEY).clientProof(A, B, APP, VERSION)));
    byte[] otherKey = KEY.clone();
    otherKey[0]++;
    assertFalse(
        JobSecret.proofsEqual(proof, new JobSecret(otherKey).clientProof(A, B, APP, VERSION)));
    assertFalse(
        JobSecret.proofsEqual(proof, secret.clientProof(A, B, "application_1_0002", VERSION)));
    assertFalse(JobSecret.proofsEqual(proof, new byte[0]));
  }

  @Test
  void aProofIsOfAllThatWasSaidAboutVersions() {
    Versions service = VERSION.service();
    Versions reader = VERSION.reader();
    byte[] proof = secret.clientProof(A, B, APP, VERSION);
    for (AgreedVersion other :
        List.of(
            new AgreedVersion(new Versions(14, 15), reader, 15),
            new AgreedVersion(new Versions(13, 16), reader, 15),
            new AgreedVersion(service, new Versions(9, 16), 15),
            new AgreedVersion(service, new Versions(8, 15), 15),
            new AgreedVersion(service, reader, 14))) {
      assertFalse(JobSecret.proofsEqual(proof, secret.clientProof(A, B, APP, other)));
    }
  }

  @Test
  void keepsItsKeyToItself() {
    byte[] key = KEY.clone();
    JobSecret copy = new JobSecret(key);
    key[0]++;
    copy.bytes()[1]++;
    assertEquals(secret, copy);
    assertEquals(secret.hashCode(), copy.hashCode());
    assertNotEquals(secret, new JobSecret(key));
    assertEquals("JobSecret(14 bytes)", secret.toString());
  }

  @Test
  void hasAPlausibleLength() {
    assertThrows(IllegalArgumentException.class, () -> new JobSecret(new byte[0]));
    assertThrows(
        IllegalArgumentException.class,
        () -> new JobSecret(new byte[JobSecret.MAX_SECRET_BYTES + 1]));
  }
}
