package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.memory.NativeCalls.Errno;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The words of the kernel's errors. */
class ErrnoTest {
  @ParameterizedTest
  @EnumSource(Errno.class)
  void theEnglishWordsAreTheLibrarys(Errno errno) {
    assumeTrue(Errno.isEnglish(System.getenv()), "the language of this process is another one");
    assertEquals(List.of(errno.quoted()), errno.words());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "C", "C.UTF-8", "POSIX", "en", "en_GB.UTF-8", "en_US:en"})
  void noLibraryIsLoadedForEnglish(String language) {
    for (String variable : new String[] {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
      assertTrue(Errno.isEnglish(Map.of(variable, language)));
    }
    assertTrue(Errno.isEnglish(Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"de_DE.UTF-8", "fr", "ja_JP.eucJP", "es:en", "cs_CZ", "enm"})
  void otherLanguagesAreNotEnglish(String language) {
    for (String variable : new String[] {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"}) {
      assertFalse(Errno.isEnglish(Map.of(variable, language)));
    }
  }

  @Test
  void anyOfTheVariablesMayDecide() {
    assertFalse(Errno.isEnglish(Map.of("LC_ALL", "C.UTF-8", "LANGUAGE", "de")));
  }
}
