package io.sluice.local.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.local.cache.CacheDownload.LocaleAdvice;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LocaleAdviceTest {
  @Test
  void namesTheEncodingAndWhatToDo() {
    assertEquals("", LocaleAdvice.about(StandardCharsets.US_ASCII, "plain", "a b"));
    assertEquals("", LocaleAdvice.about(StandardCharsets.UTF_8, "\u00fc"));
    String advice = LocaleAdvice.about(StandardCharsets.US_ASCII, "plain", "\u00fc");
    assertTrue(advice.contains("US-ASCII") && advice.contains("LC_ALL=C.UTF-8"), advice);
  }
}
