package io.sluice.mapreduce.stage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.RunEncryptor;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.merge.RunInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The same with a key: nothing of what is staged can be read in the pool. */
final class EncryptedStageTest extends LeasedStageTest {
  private static final String CANARY = "a canary that sings in plain text";

  private final ShuffleKey job = new ShuffleKey(new byte[20], LocalStore.APPLICATION, 128);
  private final OutputKey key = job.newScratch();

  @AfterEach
  void closeKeys() {
    key.close();
    job.close();
  }

  @Override
  OutputKey key() {
    return key;
  }

  @Override
  long storedBytes(long lengthBytes) {
    return RunEncryptor.storedBytes(lengthBytes);
  }

  @Test
  void noCanarySingsInThePool() throws IOException {
    byte[] bytes = CANARY.repeat(10_000).getBytes(StandardCharsets.US_ASCII);
    StagedRun run = area().create("a run");
    run.write(bytes, 0, bytes.length);
    run.finish();
    String segment = Files.readString(firstSegment(), StandardCharsets.ISO_8859_1);
    assertEquals(-1, segment.indexOf(CANARY.substring(0, 8)));
    try (RunInput input = run.open()) {
      assertArrayEquals(bytes, readAll(input));
    }
  }
}
