/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the window calls things, in English. */

#define COMPOSER "field:Message"
#define SEND "button:Send"
#define STOP "button:Stop"
#define NEW_CHAT "button:New chat"
#define MAIN_MENU "button:Main menu"
#define MODEL_MENU "button:Model: *"
#define DELETE_QUESTION "button:Delete question and answer"
#define EDIT_MESSAGE "button:Edit message"
#define EDITED_MESSAGE "field:Edited message"
#define ANSWER_AGAIN "button:Regenerate answer"
#define ATTACH "button:Attach"
#define SEARCH_CHATS "field:Search in titles and messages"
#define CHAT_ACTIONS "button:Actions"
#define CHATS "Chats > "
#define UNDO_TOAST "button:Undo"
#define GET_STARTED "button:Get Started"
#define IN_CHAT "Conversation > "
#define PARIS IN_CHAT "label:The capital of France is Paris."
