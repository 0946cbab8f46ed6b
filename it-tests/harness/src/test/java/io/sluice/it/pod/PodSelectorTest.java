package io.sluice.it.pod;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodSelectorTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | true",
        "role=executor | true",
        "role==executor | true",
        "role=driver | false",
        "role!=driver,id=7 | true",
        "role!=executor | false",
        "inactive!=true | true",
        "id in (6, 7),role=executor | true",
        "id in (6),role=executor | false",
        "id notin (6,8) | true",
        "role | true",
        "!role | false",
        "!inactive | true",
      })
  void termsHoldTogether(String selector, boolean matches) throws Exception {
    JsonNode labels = new ObjectMapper().readTree("{\"role\":\"executor\",\"id\":\"7\"}");
    assertEquals(matches, PodSelector.matches(selector, labels::path));
  }
}
