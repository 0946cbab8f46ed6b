/** What jobs cost, shown: a table on the screen, JSON, a plot. */
package io.sluice.it.report;
