/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/chat-families.h"

#include <pteris/models.h>

/* trim_blocks and lstrip_blocks are on, as for the templates of models. */

#define LLAMA3                                                          \
  "{{ bos_token }}\n"                                                   \
  "{%- for m in messages %}\n"                                          \
  "{{- '<|start_header_id|>' + m.role + '<|end_header_id|>\\n\\n' }}\n" \
  "{{- m.content | trim }}\n"                                           \
  "{{- '<|eot_id|>' }}\n"                                               \
  "{%- endfor %}\n"                                                     \
  "{%- if add_generation_prompt %}\n"                                   \
  "{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}\n"      \
  "{%- endif %}\n"

/* @first: text before the first message. */
#define CHATML(first)                              \
  first "{%- for m in messages %}\n"               \
        "{{- '<|im_start|>' + m.role + '\\n' }}\n" \
        "{{- m.content }}\n"                       \
        "{{- '<|im_end|>\\n' }}\n"                 \
        "{%- endfor %}\n"                          \
        "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{% endif %}\n"

#define DEFAULT_SYSTEM(text)                              \
  "{%- if messages[0].role != 'system' %}\n"              \
  "{{- '<|im_start|>system\\n" text "<|im_end|>\\n' }}\n" \
  "{%- endif %}\n"

/* Thoughts of earlier answers are left out; with thinking off, an empty thought precedes the
   answer. */
#define QWEN3                                                      \
  "{%- for m in messages %}\n"                                     \
  "{{- '<|im_start|>' + m.role + '\\n' }}\n"                       \
  "{%- if m.role == 'assistant' and '</think>' in m.content %}\n"  \
  "{{- m.content.split('</think>')[-1].lstrip('\\n') }}\n"         \
  "{%- else %}\n"                                                  \
  "{{- m.content }}\n"                                             \
  "{%- endif %}\n"                                                 \
  "{{- '<|im_end|>\\n' }}\n"                                       \
  "{%- endfor %}\n"                                                \
  "{%- if add_generation_prompt %}\n"                              \
  "{{- '<|im_start|>assistant\\n' }}\n"                            \
  "{%- if enable_thinking is defined and not enable_thinking %}\n" \
  "{{- '<think>\\n\\n</think>\\n\\n' }}\n"                         \
  "{%- endif %}\n"                                                 \
  "{%- endif %}\n"

/* Default system prompts: with thinking, and without. */
#define SMOLLM3_SYSTEM "You are a helpful AI assistant named SmolLM, trained by Hugging Face."
#define SMOLLM3_THINKING                                                                   \
  "You are a helpful AI assistant named SmolLM, trained by Hugging Face. Your role as an " \
  "assistant involves thoroughly exploring questions through a systematic thinking "       \
  "process before providing the final precise and accurate solutions. This requires "      \
  "engaging in a comprehensive cycle of analysis, summarizing, exploration, reassessment," \
  " reflection, backtracking, and iteration to develop well-considered thinking process. " \
  "Please structure your response into two main sections: Thought and Solution using the " \
  "specified format: <think> Thought section </think> Solution section. In the Thought "   \
  "section, detail your reasoning process in steps. Each step should include detailed "    \
  "considerations such as analysing questions, summarizing relevant findings, "            \
  "brainstorming new ideas, verifying the accuracy of the current steps, refining any "    \
  "errors, and revisiting previous steps. In the Solution section, based on various "      \
  "attempts, explorations, and reflections from the Thought section, systematically "      \
  "present the final solution that you deem correct. The Solution section should be "      \
  "logical, accurate, and concise and detail necessary steps needed to reach the "         \
  "conclusion."

/* The system turn has no end token unless the system prompt replaces all of it. */
#define SMOLLM3                                                                                 \
  "{%- set think = enable_thinking is not defined or enable_thinking %}\n"                      \
  "{%- set system = '' %}\n"                                                                    \
  "{%- if messages and messages[0].role == 'system' %}\n"                                       \
  "{%- set system = messages[0].content %}\n"                                                   \
  "{%- endif %}\n"                                                                              \
  "{%- if '/no_think' in system %}{% set think = false %}\n"                                    \
  "{%- elif '/think' in system %}{% set think = true %}{% endif %}\n"                           \
  "{%- set own = system.replace('/no_think', '').replace('/think', '').rstrip() %}\n"           \
  "{{- '<|im_start|>system\\n' }}\n"                                                            \
  "{%- if '/system_override' in system %}\n"                                                    \
  "{{- own.replace('/system_override', '').rstrip() + '<|im_end|>\\n' }}\n"                     \
  "{%- else %}\n"                                                                               \
  "{{- '## Metadata\\n\\nKnowledge Cutoff Date: June 2025\\nToday Date: ' }}\n"                 \
  "{{- strftime_now('%d %B %Y') }}\n"                                                           \
  "{{- '\\nReasoning Mode: ' + ('/think' if think else '/no_think') }}\n"                       \
  "{{- '\\n\\n## Custom Instructions\\n\\n' }}\n"                                               \
  "{{- own or ('" SMOLLM3_THINKING "' if think else '" SMOLLM3_SYSTEM "') }}\n"                 \
  "{{- '\\n\\n' }}\n"                                                                           \
  "{%- endif %}\n"                                                                              \
  "{%- for m in messages if m.role != 'system' %}\n"                                            \
  "{{- '<|im_start|>' + m.role + '\\n' }}\n"                                                    \
  "{%- if m.role == 'assistant' and not think %}{{- '<think>\\n\\n</think>\\n' }}{% endif %}\n" \
  "{{- m.content.lstrip('\\n') if m.role == 'assistant' else m.content }}\n"                    \
  "{{- '<|im_end|>\\n' }}\n"                                                                    \
  "{%- endfor %}\n"                                                                             \
  "{%- if add_generation_prompt %}\n"                                                           \
  "{{- '<|im_start|>assistant\\n' }}\n"                                                         \
  "{%- if not think %}{{- '<think>\\n\\n</think>\\n' }}{% endif %}\n"                           \
  "{%- endif %}\n"

/* There is no system role: the system prompt precedes the first question. */
#define GEMMA                                                                           \
  "{{- bos_token }}\n"                                                                  \
  "{%- set ns = namespace(system='') %}\n"                                              \
  "{%- for m in messages %}\n"                                                          \
  "{%- if m.role == 'system' %}\n"                                                      \
  "{%- set ns.system = ns.system + m.content | trim + '\\n\\n' %}\n"                    \
  "{%- else %}\n"                                                                       \
  "{{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}\n" \
  "{%- if m.role == 'user' %}{{- ns.system }}{% set ns.system = '' %}{% endif %}\n"     \
  "{%- if m.content is string %}\n"                                                     \
  "{{- m.content | trim }}\n"                                                           \
  "{%- else %}\n"                                                                       \
  "{%- for p in m.content %}\n"                                                         \
  "{{- '<start_of_image>' if p.type == 'image' else p.text | trim }}\n"                 \
  "{%- endfor %}\n"                                                                     \
  "{%- endif %}\n"                                                                      \
  "{{- '<end_of_turn>\\n' }}\n"                                                         \
  "{%- endif %}\n"                                                                      \
  "{%- endfor %}\n"                                                                     \
  "{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{% endif %}\n"

/* The system turn switches thinking on; thoughts of earlier answers are left out. */
#define GEMMA4                                                                           \
  "{{- bos_token }}\n"                                                                   \
  "{%- set think = enable_thinking is defined and enable_thinking %}\n"                  \
  "{%- if think and (not messages or messages[0].role != 'system') %}\n"                 \
  "{{- '<|turn>system\\n<|think|><turn|>\\n' }}\n"                                       \
  "{%- endif %}\n"                                                                       \
  "{%- for m in messages %}\n"                                                           \
  "{{- '<|turn>' + ('model' if m.role == 'assistant' else m.role) + '\\n' }}\n"          \
  "{%- if think and loop.first and m.role == 'system' %}{{- '<|think|>' }}{% endif %}\n" \
  "{%- if m.role == 'assistant' %}\n"                                                    \
  "{{- m.content.split('<channel|>')[-1] | trim }}\n"                                    \
  "{%- else %}\n"                                                                        \
  "{{- m.content | trim }}\n"                                                            \
  "{%- endif %}\n"                                                                       \
  "{{- '<turn|>\\n' }}\n"                                                                \
  "{%- endfor %}\n"                                                                      \
  "{%- if add_generation_prompt %}{{- '<|turn>model\\n' }}{% endif %}\n"

/* @line: Phi-3 puts newlines between the parts. */
#define PHI(line)                                                         \
  "{%- for m in messages %}\n"                                            \
  "{{- '<|' + m.role + '|>" line "' + m.content + '<|end|>" line "' }}\n" \
  "{%- endfor %}\n"                                                       \
  "{%- if add_generation_prompt %}{{- '<|assistant|>" line "' }}{% endif %}\n"

/* @gap: a space before words for SentencePiece's tokens; none for Tekken. */
#define MISTRAL(gap)                                                   \
  "{{- bos_token }}\n"                                                 \
  "{%- for m in messages %}\n"                                         \
  "{%- if m.role == 'system' %}\n"                                     \
  "{{- '[SYSTEM_PROMPT]" gap "' + m.content + '[/SYSTEM_PROMPT]' }}\n" \
  "{%- elif m.role == 'user' %}\n"                                     \
  "{{- '[INST]" gap "' + m.content + '[/INST]' }}\n"                   \
  "{%- else %}\n"                                                      \
  "{{- '" gap "' + m.content + eos_token }}\n"                         \
  "{%- endif %}\n"                                                     \
  "{%- endfor %}\n"

/* The system prompt precedes the last question: this version has no system role. */
#define MISTRAL_V3(gap)                                                              \
  "{{- bos_token }}\n"                                                               \
  "{%- set system = '' %}\n"                                                         \
  "{%- if messages and messages[0].role == 'system' %}\n"                            \
  "{%- set system = messages[0].content + '\\n\\n' %}\n"                             \
  "{%- endif %}\n"                                                                   \
  "{%- set rest = messages | rejectattr('role', 'eq', 'system') | list %}\n"         \
  "{%- for m in rest %}\n"                                                           \
  "{%- if m.role == 'user' %}\n"                                                     \
  "{{- '[INST]" gap "' + (system if loop.last else '') + m.content + '[/INST]' }}\n" \
  "{%- else %}\n"                                                                    \
  "{{- '" gap "' + m.content + eos_token }}\n"                                       \
  "{%- endif %}\n"                                                                   \
  "{%- endfor %}\n"

/* No system role together with sound: the system prompt precedes the first question. */
#define VOXTRAL                                                                  \
  "{{- bos_token }}\n"                                                           \
  "{%- set ns = namespace(sound=false, system='') %}\n"                          \
  "{%- for m in messages if m.content is not string %}\n"                        \
  "{%- set ns.sound = true %}\n"                                                 \
  "{%- endfor %}\n"                                                              \
  "{%- for m in messages %}\n"                                                   \
  "{%- if m.role == 'system' and ns.sound %}\n"                                  \
  "{%- set ns.system = ns.system + m.content + '\\n\\n' %}\n"                    \
  "{%- elif m.role == 'system' %}\n"                                             \
  "{{- '[SYSTEM_PROMPT]' + m.content + '[/SYSTEM_PROMPT]' }}\n"                  \
  "{%- elif m.role == 'user' %}\n"                                               \
  "{{- '[INST]' }}\n"                                                            \
  "{%- if m.content is string %}\n"                                              \
  "{{- ns.system + m.content }}\n"                                               \
  "{%- else %}\n"                                                                \
  "{%- for p in m.content if p.type == 'audio' %}{{- '[AUDIO]' }}{% endfor %}\n" \
  "{{- ns.system }}\n"                                                           \
  "{%- for p in m.content if p.type == 'text' %}{{- p.text }}{% endfor %}\n"     \
  "{%- endif %}\n"                                                               \
  "{%- set ns.system = '' %}\n"                                                  \
  "{{- '[/INST]' }}\n"                                                           \
  "{%- else %}\n"                                                                \
  "{{- m.content + eos_token }}\n"                                               \
  "{%- endif %}\n"                                                               \
  "{%- endfor %}\n"

#define VICUNA_SYSTEM                                                                             \
  "A chat between a curious human and an artificial intelligence assistant. The assistant gives " \
  "helpful, detailed, and polite answers to the human\\'s questions. "

#define VICUNA                                               \
  "{{- bos_token }}\n"                                       \
  "{%- if not messages or messages[0].role != 'system' %}\n" \
  "{{- '" VICUNA_SYSTEM "' }}\n"                             \
  "{%- endif %}\n"                                           \
  "{%- for m in messages %}\n"                               \
  "{%- if m.role == 'system' %}\n"                           \
  "{{- m.content + ' ' }}\n"                                 \
  "{%- elif m.role == 'user' %}\n"                           \
  "{{- 'USER: ' + m.content + ' ' }}\n"                      \
  "{%- else %}\n"                                            \
  "{{- 'ASSISTANT: ' + m.content + eos_token }}\n"           \
  "{%- endif %}\n"                                           \
  "{%- endfor %}\n"                                          \
  "{%- if add_generation_prompt %}{{- 'ASSISTANT:' }}{% endif %}\n"

#define COMPLETION                                                         \
  "{{- bos_token }}\n"                                                     \
  "{%- for m in messages %}\n"                                             \
  "{%- if m.role == 'user' and not loop.first %}{{- '\\n' }}{% endif %}\n" \
  "{{- m.content }}\n"                                                     \
  "{%- endfor %}\n"

#define SMOLLM2_SYSTEM "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
#define QWEN2_SYSTEM "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."

/* U+2581, SentencePiece's space. */
#define SPACE "\342\226\201"

/* The first family whose tokens are all in the vocabulary is chosen. */
static const struct {
  const char *tokens[4];
  const char *text;
} families[] = {
  { { "<|start_header_id|>", "<|eot_id|>" }, LLAMA3 },
  { { "<|im_start|>", "<|im_end|>", "<|begin_of_text|>" }, SMOLLM3 },
  { { "<|im_start|>", "<|im_end|>", "<|startoftext|>" }, CHATML ("{{ bos_token }}\n") },
  { { "<|im_start|>", "<|im_end|>", "<think>" }, QWEN3 },
  { { "<|im_start|>", "<|im_end|>", "<jupyter_text>" }, CHATML (DEFAULT_SYSTEM (SMOLLM2_SYSTEM)) },
  { { "<|im_start|>", "<|im_end|>", "<|object_ref_start|>" },
    CHATML (DEFAULT_SYSTEM (QWEN2_SYSTEM)) },
  { { "<|im_start|>", "<|im_end|>" }, CHATML ("") },
  { { "<start_of_turn>", "<end_of_turn>" }, GEMMA },
  { { "<|turn>", "<turn|>" }, GEMMA4 },
  { { "<|user|>", "<|assistant|>", "<|end|>", SPACE }, PHI ("\\n") },
  { { "<|user|>", "<|assistant|>", "<|end|>" }, PHI ("") },
  { { "[INST]", "[/INST]", "[BEGIN_AUDIO]" }, VOXTRAL },
  { { "[INST]", "[/INST]", "[SYSTEM_PROMPT]", SPACE }, MISTRAL (" ") },
  { { "[INST]", "[/INST]", "[SYSTEM_PROMPT]" }, MISTRAL ("") },
  { { "[INST]", "[/INST]", SPACE }, MISTRAL_V3 (" ") },
  { { "[INST]", "[/INST]" }, MISTRAL_V3 ("") },
};

const char *
pt_chat_family_template (const PtTokenizer *tokenizer, guint takes)
{
  for (gsize i = 0; i < G_N_ELEMENTS (families); i++) {
    gboolean all = TRUE;

    for (guint k = 0; k < 4 && families[i].tokens[k] != NULL; k++)
      all = all && pt_tokenizer_find (tokenizer, families[i].tokens[k]) >= 0;
    if (all)
      return families[i].text;
  }
  return takes & PT_MODEL_IMAGES ? VICUNA : COMPLETION;
}
