/** What tests of several packages and modules write, and where. */
package io.sluice.spill.testing;
