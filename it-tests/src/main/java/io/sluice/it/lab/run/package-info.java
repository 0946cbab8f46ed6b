/** What a run of the lab consists of: suites in guests, and the power-loss tests beside them. */
package io.sluice.it.lab.run;
