package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.tools.doctor.Finding.ByteSize;
import org.junit.jupiter.api.Test;

class FindingTest {
  private static final Finding PROBLEM = Finding.problem("port", "is down", "no cable", "plug it");

  @Test
  void causeAndRemedyHaveLinesOfTheirOwn() {
    assertEquals(
        """
        PROBLEM  port: is down
                   why:  no cable
                   fix: plug it""",
        PROBLEM.toText());
    assertEquals("OK       port: up", Finding.ok("port", "up").toText());
  }

  @Test
  void jsonSaysTheSameAndLeavesOutWhatIsEmpty() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    assertEquals(
        "{\"level\":\"PROBLEM\",\"subject\":\"port\",\"what\":\"is down\",\"cause\":\"no cable\","
            + "\"remedy\":\"plug it\"}",
        mapper.writeValueAsString(PROBLEM));
    assertEquals(
        "{\"level\":\"OK\",\"subject\":\"port\",\"what\":\"up\"}",
        mapper.writeValueAsString(Finding.ok("port", "up")));
  }

  @Test
  void sizesAreShort() {
    assertEquals("0 bytes", ByteSize.of(0));
    assertEquals("1 KiB", ByteSize.of(1024));
    assertEquals("1.5 MiB", ByteSize.of(3 << 19));
    assertEquals("24 GiB", ByteSize.of(24L << 30));
    assertEquals("2048 TiB", ByteSize.of(2L << 50));
  }
}
