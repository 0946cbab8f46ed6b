/** What is written for people. */
package io.sluice.tools.text;
